import { exampleData } from './example-data.js';
import { type EventDataByType, type EventType, type Plain } from './events.js';

/** What goes wrong between a sender and a receiver, one thing each. */
export const scenarioNames = ['duplicate', 'reordered', 'stale', 'rotated', 'deleted', 'erased'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** One request, before it is signed: pass it to `signedExample(step.type, step)`. */
export interface ScenarioEvent {
  readonly type: EventType;
  readonly id: string;
  readonly at: Date;
  readonly deliveryAttempt: number;
  readonly secret: readonly string[];
  readonly data: Partial<Plain<EventDataByType[EventType]>>;
}

export interface Scenario {
  readonly name: ScenarioName;
  /** In the order in which to send them. */
  readonly events: readonly ScenarioEvent[];
  /** How many distinct events a right receiver handles. */
  readonly handled: number;
  /** Statuses that a receiver gives, by event. */
  readonly statuses: readonly number[];
  /** The steps of the day that a right receiver holds in the end; null: none. */
  readonly held: number | null;
}

export interface ScenarioOptions {
  /** What the requests are signed with; of `rotated` the old secret. */
  readonly secret: string;
  /** The secret that takes its place in `rotated`. The receiver knows both. */
  readonly nextSecret?: string;
  /** Time of the first attempt. Default: now. The receiver's clock should agree. */
  readonly at?: Date;
  /** Whose day it is. Default: somebody new. */
  readonly userId?: string;
}

/**
 * The requests of one scenario about one day's steps of one person, and what a right receiver makes of them.
 * `for (const step of events) await fetch(url, await signedExample(step.type, step))`
 */
export function scenario(name: ScenarioName, options: ScenarioOptions): Scenario {
  const { secret, nextSecret = secret, at = new Date(), userId = `usr_${crypto.randomUUID()}` } = options;
  const user = { id: userId, externalId: `external-${userId}` };
  const base = { at, deliveryAttempt: 1, secret: [secret] };
  const newId = () => `evt_${crypto.randomUUID().replaceAll('-', '')}`;
  const steps = (revision: number, value: number): ScenarioEvent => ({
    ...base,
    type: 'daily.updated',
    id: newId(),
    data: { user, revision, record: { ...exampleData['daily.updated'].record, value } },
  });
  const deleted = (revision: number): ScenarioEvent => ({
    ...base,
    type: 'record.deleted',
    id: newId(),
    data: { ...dayOf(user), revision },
  });
  const erased = (revision: number): ScenarioEvent => ({ ...base, type: 'user.erased', id: newId(), data: { user, revision } });
  const later = (event: ScenarioEvent, seconds: number): ScenarioEvent => ({ ...event, at: new Date(at.getTime() + seconds * 1000) });
  const all = (events: readonly ScenarioEvent[], held: number | null, statuses = events.map(() => 204)): Scenario => ({
    name,
    events,
    held,
    statuses,
    handled: new Set(events.filter((_, index) => statuses[index] === 204).map(({ id }) => id)).size,
  });

  const [older, newer] = [steps(10, 4_000), steps(20, 9_000)];
  switch (name) {
    case 'duplicate':
      return all([newer, newer, { ...later(newer, 5), deliveryAttempt: 2 }], 9_000);
    case 'reordered':
      return all([newer, older], 9_000);
    case 'stale': {
      const late = later(newer, -301);
      return all([older, late], 4_000, [204, 400]);
    }
    case 'rotated':
      return all([older, { ...newer, secret: [secret, nextSecret] }, { ...steps(30, 9_500), secret: [nextSecret] }], 9_500);
    case 'deleted':
      return all([newer, deleted(30), steps(25, 9_100)], null);
    case 'erased':
      return all([newer, erased(30), steps(40, 9_200), { ...newer, deliveryAttempt: 2 }], null);
  }
}

function dayOf(user: { readonly id: string; readonly externalId: string }) {
  const { metric, localDate, source, provider } = exampleData['daily.updated'];
  return { user, metric, localDate, source, provider, kind: 'daily_total', recordId: null } as const;
}
