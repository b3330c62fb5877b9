import { exampleData } from '../../packages/sdk/src/example-data.js';

export interface SentEvent {
  readonly id: string;
  readonly type: 'daily.updated' | 'sleep.updated' | 'record.deleted' | 'user.erased';
  readonly data: object;
}

/** A value as it should be held in the end. */
export interface HeldValue {
  readonly user: string;
  readonly metric: string;
  readonly item: string;
  readonly localDate: string;
  readonly revision: number;
}

export interface History {
  /** In the order of their revisions. */
  readonly events: readonly SentEvent[];
  /** Sorted. Computed by going through the events in order, without a line of the SDK. */
  readonly truth: readonly HeldValue[];
}

/** From 0 to 1, the same for the same seed (mulberry32). */
export function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const people = 25;
const days = 6;

/** Steps and nights of some people, changed, moved, deleted and restored; every fifth person is erased in the end. */
export function historyOf(count: number, dice: () => number): History {
  const events: SentEvent[] = [];
  const held = new Map<string, HeldValue>();
  const pick = (upTo: number): number => Math.floor(dice() * upTo);
  const add = (type: SentEvent['type'], data: object): void => {
    events.push({ id: `evt_${String(events.length + 1).padStart(6, '0')}`, type, data: { ...exampleData[type], ...data } });
  };
  const erasures = people / 5;
  while (events.length < count - erasures) {
    const revision = events.length + 1;
    const person = `usr_${pick(people)}`;
    const user = { id: person, externalId: `external-${person}` };
    const night = dice() < 0.4;
    const localDate = `2026-11-0${1 + pick(days)}`;
    const recordId = night ? `rec_${person}_${pick(days)}` : null;
    const metric = night ? 'sleep_session' : 'steps';
    const item = recordId ?? localDate;
    const key = `${person} ${metric} ${item}`;
    if (dice() < 0.2) {
      add('record.deleted', { user, metric, localDate, recordId, revision, kind: night ? 'session' : 'daily_total' });
      held.delete(key);
    } else {
      if (night) add('sleep.updated', { user, localDate, recordId, revision });
      else add('daily.updated', { user, localDate, revision, record: { ...exampleData['daily.updated'].record, value: revision } });
      held.set(key, { user: person, metric, item, localDate, revision });
    }
  }
  for (let n = 0; n < erasures; n++) {
    const person = `usr_${n * 5}`;
    add('user.erased', { user: { id: person, externalId: `external-${person}` }, revision: events.length + 1 });
    for (const [key, { user }] of held) if (user === person) held.delete(key);
  }
  return { events, truth: sorted([...held.values()]) };
}

export function sorted(values: readonly HeldValue[]): readonly HeldValue[] {
  const keyOf = ({ user, metric, item }: HeldValue): string => `${user} ${metric} ${item}`;
  return [...values].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** 1 to 5 of each, in any order. */
export function deliveriesOf(events: readonly SentEvent[], dice: () => number): SentEvent[] {
  const copies = events.flatMap((event) => Array.from({ length: 1 + Math.floor(dice() * 5) }, () => ({ event, at: dice() })));
  return copies.sort((a, b) => a.at - b.at).map(({ event }) => event);
}
