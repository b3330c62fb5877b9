import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DailyRecord, type FetchOutcome, grantCollection, localDate } from '@tributary/domain';
import { type Provider, findProvider } from '@tributary/providers';
import { openStandingWindows, setFallbackZone } from '@tributary/storage';
import fc from 'fast-check';
import { heartRecord } from '../testing/records.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

const oura = findProvider('oura') as Provider;

async function read(person: Person, outcome: FetchOutcome): Promise<void> {
  const provider: Provider = { ...oura, fetchRecords: () => Promise.resolve(outcome) };
  await bench.notice(person);
  await bench.resolve(person);
  await bench.fetch(person, bench.contextWith({ providers: new Map([['oura', provider]]) }));
}

async function say(person: Person, zone: string | null): Promise<void> {
  await setFallbackZone(bench.db.pool, person.scope, person.user.id, zone);
  await openStandingWindows(bench.db.pool, person.scope, person.user.id, grantCollection);
  await bench.fetch(person);
}

const { samples: _, workoutId: __, ...dated } = heartRecord([]);
const value = (at: number, steps: number): DailyRecord => ({
  ...dated,
  kind: 'daily',
  metric: 'steps',
  value: steps,
  localDate: localDate(at, 0),
  dateBasis: 'utc_assumed',
  utcOffsetS: undefined,
  provisional: true,
  datedAt: at,
  providerRecordId: `day-${at}`,
});

/** What a customer holds who keeps what has the higher revision, whatever order it came in. */
function customerOf(events: Awaited<ReturnType<Workbench['events']>>): Record<string, unknown> {
  const held = new Map<string, { revision: number; value: unknown }>();
  for (const { type, revision, data } of events) {
    if (data['metric'] !== 'steps') continue;
    const key = String(data['localDate']);
    if ((held.get(key)?.revision ?? 0) > revision) continue;
    const record = data['record'] as { value: number } | undefined;
    held.set(key, { revision, value: type === 'record.deleted' ? undefined : record?.value });
  }
  return Object.fromEntries([...held].filter(([, { value: shown }]) => shown !== undefined).map(([key, { value: shown }]) => [key, shown]));
}

const zones = ['Europe/Lisbon', 'Asia/Tokyo', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const;

describe('whatever is said of where a person was, in whatever order', () => {
  it('every value ends under the day that it was there, once, and so it does for a customer who sees the events in any order', async () => {
    const said = fc.array(fc.constantFrom(...zones), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 1, max: 6 }),
        said,
        fc.func(fc.integer()),
        async (hour, days, told, dice) => {
          const person = await bench.person();
          const instants = Array.from({ length: days }, (_one, n) => Date.UTC(2026, 6, 10 + n, hour, 30));
          await read(person, { is: 'records', complete: true, records: instants.map((at, n) => value(at, n + 1)) });
          for (const zone of told) await say(person, zone);
          const expected = Object.fromEntries(instants.map((at, n) => [localDate(at, told.at(-1) as string), n + 1]));
          const live = (await bench.daily(person)).filter((row) => row['deleted'] === false);
          expect(Object.fromEntries(live.map((row) => [row['local_date'], row['value']]))).toEqual(expected);
          const events = await bench.events(person);
          expect(new Set(events.map(({ revision }) => revision)).size).toBe(events.length);
          const shuffled = [...events].sort((a, b) => dice(a.id) - dice(b.id));
          expect(customerOf(shuffled)).toEqual(expected);
          // Both halves of a change of key are there, or it is a value that went into the place of another.
          const halves = events.filter(({ type, data }) => type === 'record.deleted' && data['reason'] === 'rekeyed');
          for (const { data } of halves) {
            const other = events.find((event) => event.type === 'daily.updated' && event.data['changeId'] === data['changeId']);
            expect(other?.data['localDate']).toBe((data['supersededBy'] as { localDate: string }).localDate);
          }
        },
      ),
      { numRuns: 20 },
    );
  }, 120_000);
});
