// doubles: none but the providers: the sandbox over real HTTP. The worker's parts without a queue.
// oracles: the stand-ins' truth, rows, events.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { type Provider, findProvider } from '@tributary/providers';
import type { WorkerContext } from '../../apps/worker/src/worker-context.js';
import { type Person, Workbench } from '../../apps/worker/testing/workbench.js';
import { type ProviderServer, startProviders } from './provider-server.js';

let bench: Workbench;
let providers: ProviderServer;
let context: WorkerContext;
beforeAll(async () => {
  [bench, providers] = await Promise.all([Workbench.open(), startProviders()]);
  context = bench.contextWith({ sandboxUrl: providers.url });
});
afterAll(async () => {
  await providers.stop();
  await bench.close();
});

const today = new Date().toISOString().slice(0, 10);
/** Closed days, and inside all that any provider shows. */
const DAYS = 8;
const day = (n: number) => addDays(today, n - 14);
const at = (n: number, clock: string) => `${day(n)}T${clock}`;
const seconds = (n: number, clock: string) => Date.parse(`${at(n, clock)}Z`) / 1000;
const uuid = (n: number, kind: number) => `0000000${kind}-0000-4000-8000-00000000000${n}`;

interface Life {
  readonly subjectId: string;
  /** What the stand-in is given of one day: collection, id, document. */
  readonly of: (n: number) => readonly (readonly [collection: string, id: string | number, document: object])[];
  /** Our collections that show it, in order. */
  readonly reads: readonly string[];
  /** Our names of what a notice may point at by its id. */
  readonly objects: readonly (readonly [collection: string, id: string])[];
  /** One that goes without a word, and the collection of ours that shows it. */
  readonly goes: { readonly collection: string; readonly id: string | number; readonly readAs: string };
}

/** What a person lives through. The offsets differ, so that days of theirs are not those of UTC. */
const lives: Readonly<Record<string, Life>> = {
  oura: {
    subjectId: 'ada',
    of: (n) => [
      ...['daily_activity', 'daily_sleep', 'daily_readiness', 'daily_spo2'].map((name) => [name, `${name}-${n}`, { day: day(n) }] as const),
      ['sleep', `night-${n}`, { day: day(n), bedtime_start: `${at(n - 1, '23:10:00')}+13:00`, bedtime_end: `${at(n, '06:40:00')}+13:00` }],
      ['workout', `run-${n}`, { day: day(n), start_datetime: `${at(n, '23:10:00')}-11:00`, end_datetime: `${at(n, '23:50:00')}-11:00` }],
    ],
    reads: ['daily_activity', 'daily_readiness', 'daily_sleep', 'daily_spo2', 'sleep', 'workout'],
    objects: [
      ...['daily_activity', 'daily_sleep', 'daily_readiness', 'daily_spo2'].map((name) => [name, `${name}-3`] as const),
      ['sleep', 'night-3'],
      ['workout', 'run-3'],
    ],
    goes: { collection: 'workout', id: 'run-4', readAs: 'workout' },
  },
  whoop: {
    subjectId: '4417301',
    of: (n) => {
      const [night, offset] = [{ start: `${at(n - 1, '10:10:30')}Z`, end: `${at(n - 1, '17:41:30')}Z` }, { timezone_offset: '+13:00' }];
      return [
        ['cycle', 935_101_120 + n, { start: night.start, end: `${at(n, '10:10:30')}Z`, ...offset }],
        ['sleep', uuid(n, 1), { cycle_id: 935_101_120 + n, ...night, ...offset }],
        ['recovery', uuid(n, 1), { cycle_id: 935_101_120 + n }],
        ['workout', uuid(n, 2), { start: `${at(n, '08:10:00')}Z`, end: `${at(n, '08:50:00')}Z`, timezone_offset: '-11:00' }],
      ];
    },
    reads: ['cycle', 'recovery', 'sleep', 'workout'],
    objects: [
      ['sleep', uuid(3, 1)],
      ['recovery', `recovery/${uuid(3, 1)}`],
      ['workout', uuid(3, 2)],
      ['cycle', '935101123'],
    ],
    goes: { collection: 'workout', id: uuid(4, 2), readAs: 'workout' },
  },
  withings: {
    subjectId: '38291047',
    of: (n) => [
      ['measure', 100 + n, { date: seconds(n, '22:30:00'), measures: [{ value: 72_000 + n, type: 1, unit: -3 }] }],
      ['activity', day(n), { steps: 1_000 + n }],
      ['sleep', 200 + n, { startdate: seconds(n - 1, '22:10:00'), enddate: seconds(n, '05:40:00'), date: day(n) }],
      ['workout', 300 + n, { startdate: seconds(n, '16:00:00'), enddate: seconds(n, '16:40:00'), date: day(n) }],
    ],
    reads: ['activity', 'measure', 'sleep'],
    objects: [],
    goes: { collection: 'measure', id: 104, readAs: 'measure' },
  },
  polar: {
    subjectId: '38291047',
    of: (n) => [
      ['exercises', `e${n}`, { start_time: at(n, '23:10:00') }],
      ...['activities', 'sleep', 'nightly-recharge'].map((name) => [name, day(n), {}] as const),
    ],
    reads: ['activities', 'exercises', 'nightly-recharge', 'sleep'],
    objects: [['exercises', 'e3']],
    goes: { collection: 'exercises', id: 'e4', readAs: 'exercises' },
  },
  strava: {
    subjectId: '38291047',
    of: (n) => [
      ['activity', 700 + n, { start_date_local: `${at(n, '23:10:00')}Z`, start_date: `${at(n, '10:10:00')}Z`, utc_offset: 46_800 }],
    ],
    reads: ['activity'],
    objects: [['activity', '703']],
    goes: { collection: 'activity', id: 704, readAs: 'activity' },
  },
  google: {
    subjectId: 'hU-9Qx2k',
    of: (n) => {
      const offsets = { startUtcOffset: '46800s', endUtcOffset: '46800s' };
      return [
        ['steps', day(n), { countSum: String(n * 100) }],
        ['daily-resting-heart-rate', day(n), { beatsPerMinute: String(n + 40) }],
        ['weight', `w${n}`, { sampleTime: { physicalTime: `${at(n, '21:30:00')}Z`, utcOffset: '7200s' }, weightGrams: 72_000 + n }],
        ['sleep', `n${n}`, { interval: { startTime: `${at(n - 1, '10:10:30')}Z`, endTime: `${at(n - 1, '17:41:30')}Z`, ...offsets } }],
        [
          'exercise',
          `r${n}`,
          { interval: { startTime: `${at(n, '16:10:00')}Z`, endTime: `${at(n, '16:41:00')}Z`, ...offsets }, exerciseType: 'RUNNING' },
        ],
      ];
    },
    reads: ['daily-resting-heart-rate', 'exercise', 'sleep', 'steps', 'weight'],
    objects: [],
    goes: { collection: 'exercise', id: 'r4', readAs: 'exercise' },
  },
};

/** Somebody who is connected at both ends, and has lived eight days. */
async function lived(id: string) {
  const { subjectId, of } = lives[id] as Life;
  const provider = findProvider(id) as Provider;
  const control = providers.controlOf(id);
  await control('DELETE', '/');
  const scope = await bench.seed.environment();
  const app = await bench.seed.app(scope, { provider: id });
  const address = id === 'whoop' ? { callbackUrl: 'http://127.0.0.1:9/hook' } : {};
  const client = { clientId: app.clientId, clientSecret: app.clientSecret };
  await control('POST', '/apps', { ...client, redirectUris: ['http://127.0.0.1:9/back'], ...address });
  await control('POST', '/people', { subjectId });
  for (let n = 0; n < DAYS; n += 1)
    for (const [collection, document, body] of of(n))
      await control('PUT', `/people/${subjectId}/documents/${collection}/${document}`, body);
  const grant = await control<{ accessToken: string; refreshToken: string; scopes: string[] }>('POST', `/people/${subjectId}/grants`, {
    clientId: app.clientId,
  });
  const bearer = { authorization: `Bearer ${grant.accessToken}` };
  // Polar shows nothing of a person who was not registered.
  if (id === 'polar') await providers.call('POST', '/polar/v3/users', { 'member-id': 'ada' }, bearer);
  const user = await bench.seed.user(scope);
  const connection = await bench.seed.connection(app, user, { subjectId, ...grant });
  const person: Person = { scope, app, user, connection, endpoint: await bench.seed.endpoint(scope) };
  const authoritative = Object.entries(provider.collections)
    .filter(([, facts]) => facts.authoritative !== undefined)
    .map(([name]) => name);
  return {
    person,
    authoritative,
    /** A notice about one document, and the read that it asks for. */
    async look(collection: string, document: string): Promise<void> {
      await bench.notice(person, { collection, id: document });
      await bench.resolve(person);
      await bench.makeDue(person);
      await bench.fetch(person, context);
      expect((await bench.windows(person)).filter((row) => row['window_kind'] === 'object')).toMatchObject([{ state: 'settled' }]);
    },
    forget: (collection: string, document: string | number) =>
      control('DELETE', `/people/${subjectId}/documents/${collection}/${document}`),
    /** A sweep over these days. */
    async sweep(from: number, to: number): Promise<void> {
      await bench.db.pool.query('delete from fetch_window where tenant_id = $1', [scope.tenantId]);
      for (const collection of authoritative) await bench.window(person, { collection, from: day(from), to: day(to), priority: 2 });
      await bench.fetch(person, context);
      expect((await bench.letters(person)).filter(({ open }) => open)).toEqual([]);
    },
    /** As if all that was read until now had been read so many hours earlier. */
    async hoursPass(hours: number): Promise<void> {
      await bench.later(person, hours * 60);
      await bench.db.pool.query('update missing_row set sent_at = sent_at - make_interval(hours => $2) where tenant_id = $1', [
        scope.tenantId,
        hours,
      ]);
    },
    missing: () => bench.rows('select collection, local_date, row_name from missing_row where tenant_id = $1', person),
    live: () =>
      bench.rows(
        ['daily_rollup', 'session_record', 'measurement_record', 'series_day']
          .map(
            (table) => `select '${table}' as "table", collection, local_date, provider_record_id as document, count(*)::int as rows
              from ${table} where tenant_id = $1 and not deleted group by 1, 2, 3, 4`,
          )
          .join(' union all ') + ' order by 2, 3, 1, 4',
        person,
      ),
  };
}

describe.each(Object.keys(lives))('%s', (id) => {
  it('is read by days that fit together: whatever days a sweep is of, it lacks nothing of them', async () => {
    const one = await lived(id);
    await one.sweep(-3, DAYS + 3);
    const held = await one.live();
    // Each of these has something that could be missing.
    expect([...new Set(held.map((row) => row['collection']))]).toEqual(lives[id]?.reads);
    expect(held.length).toBeGreaterThanOrEqual(DAYS);
    for (const [from, to] of [
      [0, 4],
      [1, 5],
      [3, 4],
      [4, 9],
      [-2, 2],
      [6, 11],
    ] as const) {
      await one.sweep(from, to);
      expect({ from, to, missing: await one.missing() }).toEqual({ from, to, missing: [] });
    }
    await one.hoursPass(30);
    await one.sweep(-3, DAYS + 3);
    expect(await one.live()).toEqual(held);
  });

  it('shows by days what it shows by its id, under the same keys', async () => {
    const one = await lived(id);
    await one.sweep(-3, DAYS + 3);
    const held = await one.live();
    for (const [collection, document] of lives[id]?.objects ?? []) {
      await one.look(collection, document);
      await one.sweep(-3, DAYS + 3);
      expect({ document, missing: await one.missing() }).toEqual({ document, missing: [] });
    }
    expect(await one.live()).toEqual(held);
  });
});

describe.each(Object.keys(lives).filter((id) => id !== 'strava'))('%s', (id) => {
  it('holds a document no more, and told nobody: two looks a day apart take its rows, and no others', async () => {
    const one = await lived(id);
    await one.sweep(-3, DAYS + 3);
    const held = await one.live();
    const events = (await bench.events(one.person)).length;
    const { goes } = lives[id] as Life;
    await one.forget(goes.collection, goes.id);
    await one.sweep(1, 7);
    expect(await one.live()).toEqual(held);
    expect((await one.missing()).every((row) => row['collection'] === goes.readAs)).toBe(true);
    expect(await one.missing()).not.toEqual([]);
    await one.hoursPass(25);
    await one.sweep(0, 6);
    const left = await one.live();
    const gone = held.filter((row) => !left.some((other) => JSON.stringify(other) === JSON.stringify(row)));
    expect(gone.map((row) => [row['collection'], String(row['document']).replace('workout/', '')])).toEqual(
      gone.map(() => [goes.readAs, String(goes.id)]),
    );
    expect(left.length).toBe(held.length - gone.length);
    const told = (await bench.events(one.person)).slice(events);
    expect(new Set(told.map(({ type, data }) => `${type} ${String(data['reason'])}`))).toEqual(
      new Set(['record.deleted absent_confirmed']),
    );
    expect(told.length).toBe(gone.reduce((sum, row) => sum + Number(row['rows']), 0));
  });
});

describe('strava', () => {
  it('holds an activity no more, and told nobody: what its list lacks is asked for by its id, and goes', async () => {
    const one = await lived('strava');
    await one.sweep(-3, 4);
    await one.sweep(3, DAYS + 2);
    const held = await one.live();
    await one.forget('activity', 704);
    await one.sweep(1, 7);
    expect(await one.live()).toEqual(held);
    await bench.makeDue(one.person);
    await bench.fetch(one.person, context);
    expect((await one.live()).map((row) => row['document'])).toEqual(held.map((row) => row['document']).filter((id) => id !== '704'));
    expect((await bench.events(one.person)).at(-1)).toMatchObject({
      type: 'record.deleted',
      data: { recordId: '704', reason: 'provider_deleted' },
    });
    expect((await bench.windows(one.person)).filter((row) => row['window_kind'] === 'object')).toEqual([]);
  });
});
