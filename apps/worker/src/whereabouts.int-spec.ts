import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type DailyRecord,
  type FetchOutcome,
  type HealthRecord,
  type SleepRecord,
  type Whereabouts,
  grantCollection,
} from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { type FetchContext, type Provider, findProvider } from '@tributary/providers';
import {
  learnZone,
  loadStanding,
  noteMissing,
  openAbsenceLetter,
  openLook,
  openStandingWindows,
  purges,
  setFallbackZone,
} from '@tributary/storage';
import { heartRecord, weightRecord, workoutRecord } from '../testing/records.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

const oura = findProvider('oura') as Provider;
type Told = FetchOutcome | ((whereabouts: Whereabouts) => FetchOutcome);

async function read(person: Person, told: Told): Promise<void> {
  const fetchRecords = (_collection: string, _window: unknown, { whereabouts }: FetchContext) =>
    Promise.resolve(typeof told === 'function' ? told(whereabouts) : told);
  const provider: Provider = { ...oura, fetchRecords };
  await bench.notice(person);
  await bench.resolve(person);
  await bench.fetch(person, bench.contextWith({ providers: new Map([['oura', provider]]) }));
}

const records = (...shown: readonly HealthRecord[]): FetchOutcome => ({ is: 'records', complete: true, records: shown });
const inZone = (profileZone: string, ...shown: readonly HealthRecord[]): FetchOutcome => ({
  is: 'records',
  complete: true,
  records: shown,
  profileZone,
});

/** Nobody knew where it was. */
const guessed = { dateBasis: 'utc_assumed', utcOffsetS: undefined, provisional: true } as const;

/** A value of the day that it began on at this instant, as UTC has it. */
function steps(at: string, value: number): DailyRecord {
  const { samples: _, workoutId: __, ...dated } = heartRecord([]);
  const localDate = at.slice(0, 10);
  const day = { localDate, datedAt: Date.parse(at), providerRecordId: `day-${at}` };
  return { ...dated, ...guessed, ...day, kind: 'daily', metric: 'steps', value };
}

function night(start: string, end: string): SleepRecord {
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
  const times = { start, end, endUtcOffsetS: undefined, localDate: end.slice(0, 10), providerRecordId: 'night-1' };
  return { ...dated, ...guessed, ...times, kind: 'sleep', detail };
}

const daily = (person: Person) =>
  bench.rows(
    `select local_date, value, date_basis, time_zone, tzdb, utc_offset_s, provisional, deleted, delete_reason from daily_rollup
     where tenant_id = $1 order by local_date`,
    person,
  );
const since = async (person: Person, count: number) => {
  const events = (await bench.events(person)).slice(count);
  for (const { type, data } of events) expect(eventSchemas[type as keyof typeof eventSchemas].parse(data)).toEqual(data);
  return events;
};
const due = (person: Person) => bench.rows('select redate_due from connection where tenant_id = $1', person);

/** The customer says where the person is, as the API does. */
async function say(person: Person, zone: string | null): Promise<void> {
  await setFallbackZone(bench.db.pool, person.scope, person.user.id, zone);
  await openStandingWindows(bench.db.pool, person.scope, person.user.id, grantCollection);
  await bench.fetch(person);
}

describe('what a read is told of where the person was', () => {
  it('C055 is the zone of the profile then, and the fallback of the customer', async () => {
    const person = await bench.person();
    const told: Whereabouts[] = [];
    const listen = (outcome: FetchOutcome) => (whereabouts: Whereabouts) => {
      told.push(whereabouts);
      return outcome;
    };
    await read(person, listen(inZone('America/Los_Angeles')));
    await say(person, 'Europe/Lisbon');
    await read(person, listen(inZone('America/Los_Angeles')));
    await read(person, listen(inZone('Asia/Tokyo')));
    await read(person, listen(records()));
    expect(told[0]).toEqual({ profile: [], fallbackZone: undefined, tzdb: process.versions.tz });
    expect(told[1]).toMatchObject({ profile: [{ zone: 'America/Los_Angeles', validFrom: 0 }], fallbackZone: 'Europe/Lisbon' });
    // A move counts from when it was seen, and is kept beside what was there before.
    expect(told[3]?.profile.map(({ zone }) => zone)).toEqual(['America/Los_Angeles', 'Asia/Tokyo']);
    expect(told[3]?.profile[1]?.validFrom).toBeGreaterThan(Date.now() - 60_000);
    expect(told[3]?.profile[1]?.validFrom).toBeLessThanOrEqual(Date.now());
  });

  it('is stored with each row that rests on it', async () => {
    const person = await bench.person();
    const zoned = {
      dateBasis: 'record_zone',
      timeZone: 'Europe/Lisbon',
      tzdb: '2025c',
      utcOffsetS: 3_600,
      providerDate: '2026-09-13',
    } as const;
    await read(person, records({ ...weightRecord(71), ...zoned }, { ...workoutRecord(), ...zoned }, { ...heartRecord([60]), ...zoned }));
    for (const table of ['measurement_record', 'session_record', 'series_day']) {
      expect(
        await bench.rows(
          `select date_basis, time_zone, tzdb, utc_offset_s, provider_date, collection from ${table} where tenant_id = $1`,
          person,
        ),
      ).toEqual([
        {
          date_basis: 'record_zone',
          time_zone: 'Europe/Lisbon',
          tzdb: '2025c',
          utc_offset_s: 3_600,
          provider_date: '2026-09-13',
          collection: 'daily_activity',
        },
      ]);
    }
  });
});

describe('a zone that is learned later', () => {
  it('P11 moves a daily value: its old key goes and its new one comes in one transaction, as two events of one change id', async () => {
    const person = await bench.person();
    await read(person, records(steps('2026-07-14T23:30:00Z', 500)));
    await read(person, inZone('Europe/Lisbon'));
    expect(await daily(person)).toMatchObject([
      { local_date: '2026-07-14', deleted: true, delete_reason: 'rekeyed' },
      {
        local_date: '2026-07-15',
        value: 500,
        date_basis: 'profile_zone',
        time_zone: 'Europe/Lisbon',
        tzdb: process.versions.tz,
        utc_offset_s: 3_600,
        provisional: false,
        deleted: false,
      },
    ]);
    const [gone, came, ...more] = await since(person, 1);
    expect(more).toEqual([]);
    const changeId = came?.data['changeId'];
    expect(changeId).toMatch(/^chg_/);
    const key = (localDate: string) => ({ metric: 'steps', localDate, sourceId: 'src_watch', recordId: null });
    expect(gone).toMatchObject({
      type: 'record.deleted',
      deliveries: 1,
      data: { reason: 'rekeyed', changeId, supersededBy: key('2026-07-15') },
    });
    expect(came).toMatchObject({
      type: 'daily.updated',
      data: { localDate: '2026-07-15', change: 'created', changeId, supersedes: key('2026-07-14'), record: { value: 500 } },
    });
    expect(gone?.revision).toBeLessThan(came?.revision as number);
    expect(await due(person)).toEqual([{ redate_due: false }]);
  });

  it('moves values of one day after the other, none of them lost on the way', async () => {
    const person = await bench.person();
    const late = (day: number, value: number) => steps(`2026-07-${day}T23:30:00Z`, value);
    await read(person, records(late(13, 1), late(14, 2), late(15, 3), steps('2026-07-18T12:00:00Z', 4)));
    await read(person, inZone('Europe/Lisbon'));
    expect((await daily(person)).map((row) => [row['local_date'], row['value'], row['deleted']])).toEqual([
      ['2026-07-13', 1, true],
      ['2026-07-14', 1, false],
      ['2026-07-15', 2, false],
      ['2026-07-16', 3, false],
      ['2026-07-18', 4, false],
    ]);
    const events = await since(person, 4);
    expect(events.map(({ type, data }) => [type, data['localDate'], data['change']])).toEqual([
      ['record.deleted', '2026-07-13', undefined],
      ['daily.updated', '2026-07-14', 'created'],
      ['daily.updated', '2026-07-15', 'created'],
      ['daily.updated', '2026-07-16', 'created'],
      // Its day stays, on better ground.
      ['daily.updated', '2026-07-18', 'updated'],
    ]);
    expect(events.map(({ revision }) => revision)).toEqual([...events.map(({ revision }) => revision)].sort((a, b) => a - b));
  });

  it('leaves a value alone that knows its day, and gives way to it', async () => {
    const person = await bench.person();
    await read(person, records(steps('2026-07-14T23:30:00Z', 500), { ...steps('2026-07-15T12:00:00Z', 900), dateBasis: 'provider_date' }));
    await read(person, inZone('Europe/Lisbon'));
    expect((await daily(person)).map((row) => [row['local_date'], row['value'], row['deleted']])).toEqual([
      ['2026-07-14', 500, true],
      ['2026-07-15', 900, false],
    ]);
  });

  it('C062 makes a night the day of its waking there, and a workout that of its start: the same rows, told with the day they had', async () => {
    const person = await bench.person();
    const run = workoutRecord({ ...guessed, localDate: '2026-09-14', start: '2026-09-14T23:10:00.000Z', end: '2026-09-14T23:50:00.000Z' });
    const weighing = weightRecord(71, { ...guessed, localDate: '2026-09-14', instant: '2026-09-14T23:30:00.000Z' });
    await read(person, records(night('2026-09-13T15:00:00.000Z', '2026-09-13T23:40:00.000Z'), run, weighing));
    await read(person, inZone('Europe/Lisbon'));
    expect(
      await bench.rows(
        'select kind, record_id, local_date, date_basis, utc_offset_s, end_utc_offset_s, deleted from session_record where tenant_id = $1 order by kind',
        person,
      ),
    ).toMatchObject([
      { kind: 'sleep', local_date: '2026-09-14', date_basis: 'profile_zone', utc_offset_s: 3_600, end_utc_offset_s: 3_600, deleted: false },
      { kind: 'workout', local_date: '2026-09-15', deleted: false },
    ]);
    const told = await since(person, 3);
    expect(told.map(({ type, data }) => [type, data['change'], data['previousLocalDate'], data['localDate']]).sort()).toEqual([
      ['measurement.updated', 'updated', '2026-09-14', '2026-09-15'],
      ['sleep.updated', 'updated', '2026-09-13', '2026-09-14'],
      ['workout.updated', 'updated', '2026-09-14', '2026-09-15'],
    ]);
    // The next read dates it so itself, and finds nothing new.
    const dated = { ...weighing, dateBasis: 'profile_zone', localDate: '2026-09-15', utcOffsetS: 3_600, provisional: false } as const;
    await read(person, records(dated));
    expect(await since(person, 6)).toEqual([]);
  });

  it('reads series anew, since no row can be told to which day its samples belong', async () => {
    const person = await bench.person();
    await read(person, records(heartRecord([60, 61], guessed)));
    await read(person, inZone('Europe/Lisbon'));
    expect(await bench.windows(person)).toContainEqual(
      expect.objectContaining({ collection: 'daily_activity', window_kind: 'days', window_start: '2026-09-13', state: 'waiting' }),
    );
  });

  it('comes from the customer too, moves again when they change their mind, and not back when they know nothing', async () => {
    const person = await bench.person();
    const days = async () =>
      (await daily(person)).filter((row) => row['deleted'] === false).map((row) => [row['local_date'], row['date_basis']]);
    await read(person, records(steps('2026-07-14T23:30:00Z', 500)));
    await say(person, 'Europe/Lisbon');
    expect(await days()).toEqual([['2026-07-15', 'fallback_zone']]);
    await say(person, 'America/New_York');
    expect(await days()).toEqual([['2026-07-14', 'fallback_zone']]);
    await read(person, inZone('Europe/Lisbon'));
    expect(await days()).toEqual([['2026-07-15', 'profile_zone']]);
    await say(person, 'America/New_York');
    expect(await days()).toEqual([['2026-07-15', 'profile_zone']]);
  });

  it('T3 says nothing of what was dated by the profile of then', async () => {
    const person = await bench.person();
    await read(person, inZone('Europe/Lisbon', { ...steps('2026-05-20T16:30:00Z', 5), dateBasis: 'profile_zone', provisional: false }));
    await read(person, inZone('Asia/Tokyo'));
    expect(await daily(person)).toMatchObject([{ local_date: '2026-05-20', deleted: false }]);
    expect(await since(person, 1)).toEqual([]);
  });

  it('goes on where a killed process stopped', async () => {
    const person = await bench.person();
    await read(person, records(steps('2026-07-14T23:30:00Z', 500)));
    // Learned, and killed before any row moved.
    await setFallbackZone(bench.db.pool, person.scope, person.user.id, 'Europe/Lisbon');
    expect(await due(person)).toEqual([{ redate_due: true }]);
    await read(person, records());
    expect((await daily(person)).filter((row) => row['deleted'] === false)).toMatchObject([{ local_date: '2026-07-15' }]);
    expect(await due(person)).toEqual([{ redate_due: false }]);
  });
});

describe('C060 a record that ends in the future', () => {
  it('hides nothing that comes after it: what is read next begins where the read began', async () => {
    const person = await bench.person();
    const at = (hour: number) => weightRecord(70 + hour / 10, { recordId: `at-${hour}`, instant: `2099-01-01T${hour}:00:00.000Z` });
    for (const hour of [24, 10, 12].map((one) => one % 24 || 23)) await read(person, records(at(hour)));
    expect(await bench.rows('select record_id from measurement_record where tenant_id = $1 order by 1', person)).toEqual([
      { record_id: 'at-10' },
      { record_id: 'at-12' },
      { record_id: 'at-23' },
    ]);
    const [window] = await bench.rows('select read_version from fetch_window where tenant_id = $1', person);
    expect(Number(window?.['read_version'])).toBeLessThanOrEqual(Date.now() * 1000);
  });
});

describe('C073 an erased person', () => {
  it('leaves neither zones nor what reads lacked of them, and a late read brings nothing back', async () => {
    const person = await bench.person();
    await read(person, inZone('Europe/Lisbon'));
    await bench.db.pool.query(
      `insert into missing_row (tenant_id, environment, connection_id, collection, record_table, row_name, local_date, sent_at, scopes, normalizer_version)
       values ($1, $2, $3, 'daily_activity', 'daily_rollup', 'x', '2026-09-14', now(), '{}', 1)`,
      [person.scope.tenantId, person.scope.environment, person.connection.id],
    );
    for (const { text } of purges) await bench.db.pool.query(text, [person.scope.tenantId, person.scope.environment, person.user.id]);
    expect(
      await bench.rows('select 1 from profile_zone where tenant_id = $1 union all select 1 from missing_row where tenant_id = $1', person),
    ).toEqual([]);
    expect(await loadStanding(bench.db.pool, person.scope, person.connection.id)).toBeUndefined();
    // Whoever was still reading of them writes nothing any more.
    const of = { ...person.scope, connectionId: person.connection.id, collection: 'daily_activity' };
    const days = { from: '2026-09-14', to: '2026-09-15' };
    expect(await learnZone(bench.db.pool, person.scope, person.connection.id, { zone: 'Asia/Tokyo', seenAt: Date.now() })).toBe(false);
    const missing = { rowName: 'x', table: 'daily_rollup', localDate: '2026-09-14', confirmedVersion: undefined };
    await noteMissing(bench.db.pool, { ...of, sentAt: 0, scopes: [], normalizerVersion: 1 }, [missing]);
    await openLook(bench.db.pool, { ...of, ...days, dueAt: 0 });
    await openAbsenceLetter(bench.db.pool, { ...of, ...days, id: 'dl_late', detail: '', normalizerVersion: 1 });
    for (const table of ['profile_zone', 'missing_row', 'fetch_window', 'dead_letter', 'connection'])
      expect([table, await bench.rows(`select 1 from ${table} where tenant_id = $1`, person)]).toEqual([table, []]);
  });
});
