import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DailyRecord, FetchOutcome, HealthRecord, SleepRecord } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { type CollectionFacts, type Provider, findProvider } from '@tributary/providers';
import { heartRecord, workoutRecord } from '../testing/records.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

const oura = findProvider('oura') as Provider;

function worker(facts: Partial<CollectionFacts>, outcome: FetchOutcome | (() => Promise<FetchOutcome>)) {
  const daily = { ...(oura.collections['daily_activity'] as CollectionFacts), ...facts };
  const fetchRecords = () => (typeof outcome === 'function' ? outcome() : Promise.resolve(outcome));
  const provider: Provider = { ...oura, collections: { daily_activity: daily }, fetchRecords };
  return bench.contextWith({ providers: new Map([['oura', provider]]) });
}

async function read(person: Person, shown: readonly HealthRecord[], facts: Partial<CollectionFacts> = {}): Promise<void> {
  await bench.notice(person);
  await bench.resolve(person);
  await bench.fetch(person, worker(facts, { is: 'records', complete: true, records: shown }));
}

const since = async (person: Person, count: number) => {
  const events = (await bench.events(person)).slice(count);
  for (const { type, data } of events) expect(eventSchemas[type as keyof typeof eventSchemas].parse(data)).toEqual(data);
  return events;
};

describe('a cycle whose day moved', () => {
  const cycle = (localDate: string, value: number, id = 'cycle-1'): DailyRecord => {
    const { samples: _, workoutId: __, ...dated } = heartRecord([]);
    return { ...dated, kind: 'daily', metric: 'total_energy', value, localDate, providerRecordId: id, dayModel: 'physiological_cycle' };
  };
  const days = (person: Person) =>
    bench.rows('select local_date, value, deleted, delete_reason from daily_rollup where tenant_id = $1 order by local_date', person);

  it('leaves its old day, in one change with two events', async () => {
    const person = await bench.person();
    await read(person, [cycle('2026-09-14', 2_100)]);
    await read(person, [cycle('2026-09-15', 2_150)]);
    expect(await days(person)).toEqual([
      { local_date: '2026-09-14', value: 2_100, deleted: true, delete_reason: 'rekeyed' },
      { local_date: '2026-09-15', value: 2_150, deleted: false, delete_reason: null },
    ]);
    const told = await since(person, 1);
    const changeId = told[0]?.data['changeId'];
    expect(changeId).toMatch(/^chg_/);
    expect(told.map(({ type, data }) => [type, data['localDate'], data['changeId']]).sort()).toEqual([
      ['daily.updated', '2026-09-15', changeId],
      ['record.deleted', '2026-09-14', changeId],
    ]);
    expect(told.find(({ type }) => type === 'record.deleted')?.data).toMatchObject({
      reason: 'rekeyed',
      supersededBy: { metric: 'total_energy', localDate: '2026-09-15' },
    });
  });

  it('goes back where it was, when the provider says so', async () => {
    const person = await bench.person();
    for (const date of ['2026-09-14', '2026-09-15', '2026-09-14']) await read(person, [cycle(date, 2_100)]);
    expect((await days(person)).map((row) => [row['local_date'], row['deleted']])).toEqual([
      ['2026-09-14', false],
      ['2026-09-15', true],
    ]);
  });

  it('stays where another cycle has taken its place', async () => {
    const person = await bench.person();
    await read(person, [cycle('2026-09-14', 2_100)]);
    await read(person, [cycle('2026-09-14', 1_900, 'cycle-0'), cycle('2026-09-15', 2_150)]);
    expect((await days(person)).map((row) => [row['local_date'], row['value'], row['deleted']])).toEqual([
      ['2026-09-14', 1_900, false],
      ['2026-09-15', 2_150, false],
    ]);
  });

  it('is not moved back by a read that began before the one that moved it', async () => {
    const person = await bench.person();
    await read(person, [cycle('2026-09-14', 2_100)]);
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    let asked = false;
    const slow = worker({}, async () => {
      asked = true;
      await held;
      return { is: 'records', complete: true, records: [cycle('2026-09-14', 2_100)] };
    });
    await bench.window(person, { collection: 'daily_activity', from: '2026-09-14', to: '2026-09-16' });
    const late = bench.fetch(person, slow);
    while (!asked) await new Promise((done) => setTimeout(done, 5));
    await read(person, [cycle('2026-09-15', 2_150)]);
    release();
    await late;
    expect((await days(person)).map((row) => [row['local_date'], row['deleted']])).toEqual([
      ['2026-09-14', true],
      ['2026-09-15', false],
    ]);
  });

  it('of a civil day is not: one document may tell the value of every day', async () => {
    const person = await bench.person();
    const profile = (localDate: string): DailyRecord => ({ ...cycle(localDate, 2_000), dayModel: 'civil' });
    for (const date of ['2026-09-14', '2026-09-15']) await read(person, [profile(date)]);
    expect((await days(person)).map((row) => row['deleted'])).toEqual([false, false]);
  });
});

describe('C134 the night that grows', () => {
  const unstable = { unstableIds: true } as const;
  const night = (start: string, end: string, providerRecordId = `${start}-${end}`): SleepRecord => {
    const { detail: _, ...dated } = workoutRecord();
    const nothing = { inBedS: null, asleepS: null, awakeS: null, lightS: null, deepS: null, remS: null, latencyS: null, hrvRmssd: null };
    const detail = {
      ...nothing,
      isMain: true,
      isNap: false,
      efficiencyPct: null,
      hrAvg: null,
      hrMin: null,
      respiratoryRate: null,
      stages: [],
    };
    return { ...dated, kind: 'sleep', providerRecordId, start: `2026-09-${start}:00.000Z`, end: `2026-09-${end}:00.000Z`, detail };
  };
  const growing = ['13T23:55', '14T01:10', '14T02:30', '14T03:40', '14T05:00', '14T06:20'].map((end) => night('13T22:40', end));
  const nap = night('14T14:00', '14T14:30');
  /** A notice that carried it. */
  const push = async (person: Person, pushed: SleepRecord) => {
    await bench.notice(person);
    await bench.db.pool.query(`update webhook_notice set carried = 'x' where tenant_id = $1 and status = 'received'`, [
      person.scope.tenantId,
    ]);
    await bench.resolve(person);
    const pushing = worker(unstable, { is: 'not-ready' });
    const carriedRecords = (): FetchOutcome => ({ is: 'records', complete: true, records: [pushed] });
    const provider = { ...(pushing.providers.get('oura') as Provider), carriedRecords };
    await bench.fetch(person, { ...pushing, providers: new Map([['oura', provider]]) });
  };
  const sessions = (person: Person) =>
    bench.rows(
      `select to_char(started_at at time zone 'UTC', 'DD HH24:MI') as start, to_char(ended_at at time zone 'UTC', 'DD HH24:MI') as end,
       deleted, delete_reason from session_record where tenant_id = $1 order by deleted, started_at, ended_at`,
      person,
    );
  const live = async (person: Person) =>
    (await sessions(person)).filter((row) => row['deleted'] === false).map((row) => [row['start'], row['end']]);
  const settled = [
    ['13 22:40', '14 06:20'],
    ['14 14:00', '14 14:30'],
  ];

  it('is one night and the nap, whatever came together, and remembers what it was', async () => {
    const person = await bench.person();
    await read(person, growing.slice(0, 1), unstable);
    await read(person, growing.slice(1, 3), unstable);
    for (const [at, one] of growing.entries()) if (at >= 3) await read(person, [one], unstable);
    await read(person, [growing[5] as SleepRecord, nap], unstable);
    expect(await live(person)).toEqual(settled);
    expect((await sessions(person)).filter((row) => row['deleted']).map((row) => row['delete_reason'])).toEqual(Array(4).fill('rekeyed'));
    const told = await since(person, 0);
    const moves = told.filter(({ data }) => data['changeId'] !== undefined);
    // Each time it grew the old night went and the new one came, under one change id.
    expect(new Set(moves.map(({ data }) => data['changeId'])).size).toBe(moves.length / 2);
    expect(moves.at(-1)?.data['supersedes'] ?? moves.at(-2)?.data['supersedes']).toMatchObject({ recordId: '13T22:40-14T05:00' });
  });

  it('is one night when all of it comes in one page', async () => {
    const person = await bench.person();
    await read(person, [...growing, nap], unstable);
    expect(await live(person)).toEqual(settled);
    expect(await since(person, 0)).toHaveLength(2);
  });

  it('is one night in whatever order a page holds its states', async () => {
    const person = await bench.person();
    await read(person, [...growing].reverse(), unstable);
    expect(await live(person)).toEqual([settled[0]]);
    const another = await bench.person();
    await read(another, [growing[3], growing[5], growing[0], growing[4]] as SleepRecord[], unstable);
    expect(await live(another)).toEqual([settled[0]]);
  });

  it('may be judged anew, from another minute and a little shorter: then what came last counts', async () => {
    const person = await bench.person();
    await read(person, [growing[5] as SleepRecord], unstable);
    await push(person, night('13T22:55', '14T06:05'));
    expect(await live(person)).toEqual([['13 22:55', '14 06:05']]);
    // A part of it that comes late is no night.
    await push(person, night('14T01:00', '14T04:00'));
    expect(await live(person)).toEqual([['13 22:55', '14 06:05']]);
    // Nor is a repeat of what it was.
    await push(person, growing[5] as SleepRecord);
    expect(await live(person)).toEqual([['13 22:55', '14 06:05']]);
  });

  it('may be shortened by a whole answer of the provider, which is the truth', async () => {
    const person = await bench.person();
    await read(person, [growing[5] as SleepRecord], unstable);
    await read(person, [night('13T23:30', '14T05:45')], unstable);
    expect(await live(person)).toEqual([['13 23:30', '14 05:45']]);
  });

  it('is not shortened by a repeat that was pushed late', async () => {
    const person = await bench.person();
    await read(person, [growing[5] as SleepRecord], unstable);
    await push(person, growing[1] as SleepRecord);
    expect(await live(person)).toEqual([['13 22:40', '14 06:20']]);
    expect(await since(person, 1)).toEqual([]);
  });

  it('is two nights where they share less than half, or are of another source', async () => {
    const person = await bench.person();
    const other = { ...growing[5], source: { id: 'src_ring', type: 'ring', manufacturer: 'Acme', model: 'Two' } } as SleepRecord;
    await read(person, [growing[0] as SleepRecord, other, night('13T23:40', '14T07:00')], unstable);
    expect(await live(person)).toHaveLength(3);
  });

  it('keeps its rows apart where ids last', async () => {
    const person = await bench.person();
    await read(person, growing.slice(0, 2));
    expect(await live(person)).toHaveLength(2);
  });
});

describe('a night that Garmin pushes', () => {
  it('C134 grows from its minute under one id, and keeps one row when another minute is its beginning', async () => {
    const scope = await bench.seed.environment({ debounceMs: 0, maxWaitMs: 0 });
    const app = await bench.seed.app(scope, { provider: 'garmin' });
    const user = await bench.seed.user(scope);
    const connection = await bench.seed.connection(app, user, { scopes: ['HEALTH_EXPORT'] });
    const person: Person = { scope, app, user, connection, endpoint: await bench.seed.endpoint(scope) };
    const start = Date.parse('2026-09-13T20:40:00Z') / 1000;
    let pushes = 0;
    const push = async (startTimeInSeconds: number, durationInSeconds: number, validation: string) => {
      const summary = { summaryId: `x-${durationInSeconds}`, calendarDate: '2026-09-14', startTimeOffsetInSeconds: 7_200, validation };
      pushes += 1;
      await bench.db.pool.query(
        `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind,
           window_kind, window_start, window_end, carried, received_at)
         values ($1, $2, $3, md5($4)::uuid, 0, $5, 'sleeps', 'changed', 'days', '2026-09-14', '2026-09-15', $6, clock_timestamp())`,
        [
          scope.tenantId,
          scope.environment,
          app.id,
          `night-${pushes}`,
          connection.id,
          Buffer.from(JSON.stringify({ ...summary, startTimeInSeconds, durationInSeconds, deepSleepDurationInSeconds: 3_600 })),
        ],
      );
      await bench.resolve(person);
      await bench.makeDue(person);
      await bench.fetch(person);
    };
    const nights = (deleted: boolean) =>
      bench.rows(
        `select record_id as id, extract(epoch from ended_at - started_at)::int as s from session_record
         where tenant_id = $1 and deleted = ${deleted} order by 1`,
        person,
      );
    for (const durationInSeconds of [4_500, 9_000, 27_600]) await push(start, durationInSeconds, 'AUTO_TENTATIVE');
    expect((await nights(false)).map((row) => row['s'])).toEqual([27_600]);
    expect(await nights(true)).toEqual([]);
    await push(start + 900, 26_400, 'ENHANCED_FINAL');
    expect((await nights(false)).map((row) => [row['id'], row['s']])).toEqual([[expect.stringContaining('@2026-09-13T20:55Z'), 26_400]]);
    expect(await nights(true)).toHaveLength(1);
    const told = (await bench.events(person)).filter(({ data }) => data['metric'] === 'sleep_session').slice(-2);
    expect(told.map(({ type, data }) => [type, data['reason'] ?? data['change']]).sort()).toEqual([
      ['record.deleted', 'rekeyed'],
      ['sleep.updated', 'created'],
    ]);
  });
});
