import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONTRADICTION_DELAYS_MS, type DailyRecord, type FetchOutcome, type HealthRecord, addDays } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { type CollectionFacts, type Provider, findProvider } from '@tributary/providers';
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
const today = new Date().toISOString().slice(0, 10);
const day = (n: number) => addDays('2026-09-14', n);

function steps(localDate: string, value = 9_000): DailyRecord {
  const { samples: _, workoutId: __, ...dated } = heartRecord([]);
  return { ...dated, kind: 'daily', metric: 'steps', value, localDate, providerRecordId: `doc-${localDate}` };
}

/** A provider whose read by days ends like this. */
function answering(outcome: FetchOutcome, facts: Partial<CollectionFacts> = {}, rest: Partial<Provider> = {}) {
  const daily = { ...(oura.collections['daily_activity'] as CollectionFacts), authoritative: true, ...facts };
  const provider: Provider = { ...oura, ...rest, collections: { daily_activity: daily }, fetchRecords: () => Promise.resolve(outcome) };
  return bench.contextWith({ providers: new Map([['oura', provider]]) });
}

const showing = (...records: readonly HealthRecord[]): FetchOutcome => ({ is: 'records', complete: true, records });

/** One sweep over ten days from `day(0)`, alone: looks that wait as well would be read beside it, in no order. */
async function sweep(person: Person, context: ReturnType<typeof answering>): Promise<void> {
  await bench.db.pool.query(`update fetch_window set due_at = now() + interval '1 day' where tenant_id = $1 and state = 'waiting'`, [
    person.scope.tenantId,
  ]);
  await bench.window(person, { collection: 'daily_activity', from: day(-1), to: day(9), priority: 2 });
  await bench.fetch(person, context);
}

/** As if all that was read until now had been read so many hours earlier. */
async function hoursPass(person: Person, hours: number): Promise<void> {
  await bench.later(person, hours * 60);
  await bench.db.pool.query('update missing_row set sent_at = sent_at - make_interval(hours => $2) where tenant_id = $1', [
    person.scope.tenantId,
    hours,
  ]);
}

const rows = (person: Person) =>
  bench.rows('select local_date, deleted, delete_reason from daily_rollup where tenant_id = $1 order by local_date', person);
const missing = (person: Person) =>
  bench.rows('select local_date, confirmed_version from missing_row where tenant_id = $1 order by 1', person);
const newEvents = async (person: Person, since: number) => (await bench.events(person)).slice(since);

/** Ten days are held. */
async function tenDays(): Promise<Person> {
  const person = await bench.person();
  await sweep(person, answering(showing(...all)));
  return person;
}

const all = Array.from({ length: 9 }, (_, n) => steps(day(n)));
const without = (...gone: number[]) => showing(...all.filter((_, n) => !gone.includes(n)));

describe('a row that a complete read of its day does not show', () => {
  it('goes when another such read, a day later, lacks it too', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2)));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    expect(await newEvents(person, 9)).toEqual([]);
    await hoursPass(person, 25);
    await sweep(person, answering(without(2)));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([
      { local_date: day(2), deleted: true, delete_reason: 'absent_confirmed' },
    ]);
    const events = await newEvents(person, 9);
    expect(events).toMatchObject([
      { type: 'record.deleted', deliveries: 1, data: { metric: 'steps', localDate: day(2), reason: 'absent_confirmed', inferred: true } },
    ]);
    expect(eventSchemas['record.deleted'].parse(events[0]?.data)).toEqual(events[0]?.data);
    expect(await missing(person)).toEqual([]);
    await sweep(person, answering(without(2)));
    expect(await newEvents(person, 10)).toEqual([]);
  });

  it('gets a look of its own that can confirm it, however far back sweeps reach', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2)));
    const [look] = await bench.rows(
      `select collection, window_start, window_end, priority, state, extract(epoch from due_at - now()) / 3600 as hours
       from fetch_window where tenant_id = $1`,
      person,
    );
    expect(look).toMatchObject({ collection: 'daily_activity', window_start: day(1), window_end: day(4), priority: 2, state: 'waiting' });
    expect(Number(look?.['hours'])).toBeGreaterThan(24);
    expect(Number(look?.['hours'])).toBeLessThan(24.1);
    await hoursPass(person, 25);
    await bench.makeDue(person);
    await bench.fetch(person, answering(showing(...[1, 3].map((n) => steps(day(n))))));
    expect((await rows(person)).filter((row) => row['deleted'])).toMatchObject([{ local_date: day(2) }]);
  });

  it('begins anew when it alone was asked for in between, and was there', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2)));
    await bench.notice(person, { id: `doc-${day(2)}`, version: null });
    await bench.resolve(person);
    await bench.db.pool.query(`update fetch_window set due_at = now() where tenant_id = $1 and window_kind = 'object'`, [
      person.scope.tenantId,
    ]);
    await bench.fetch(person, answering(showing(steps(day(2)))));
    await bench.db.pool.query(`update missing_row set sent_at = sent_at - interval '25 hours' where tenant_id = $1`, [
      person.scope.tenantId,
    ]);
    await sweep(person, answering(without(2)));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    expect(await missing(person)).toEqual([{ local_date: day(2), confirmed_version: null }]);
    await hoursPass(person, 25);
    await sweep(person, answering(without(2)));
    expect((await rows(person)).filter((row) => row['deleted'])).toMatchObject([{ local_date: day(2) }]);
  });

  it('stays when it was shown after two reads had agreed, and before what they agreed on was done', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2, 3)));
    await hoursPass(person, 25);
    // Killed between the two: the second read was noted, and nothing followed.
    await bench.db.pool.query(
      `update missing_row set confirmed_version = (extract(epoch from clock_timestamp()) * 1000000)::bigint where local_date = $2 and tenant_id = $1`,
      [person.scope.tenantId, day(2)],
    );
    await bench.db.pool.query(`update daily_rollup set version = version - 86400000000 where tenant_id = $1`, [person.scope.tenantId]);
    await bench.db.pool.query(
      `update daily_rollup set fresh_from = (extract(epoch from clock_timestamp()) * 1000)::bigint + 1 where local_date = $2 and tenant_id = $1`,
      [person.scope.tenantId, day(2)],
    );
    await bench.db.pool.query(`delete from fetch_window where tenant_id = $1`, [person.scope.tenantId]);
    await bench.window(person, { collection: 'daily_activity', from: day(3), to: day(4), priority: 2 });
    await bench.fetch(person, answering(showing()));
    expect((await rows(person)).filter((row) => row['deleted'])).toMatchObject([{ local_date: day(3) }]);
  });

  it('begins anew when it was shown in between', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2)));
    await hoursPass(person, 25);
    await sweep(person, answering(without()));
    expect(await missing(person)).toEqual([]);
    await sweep(person, answering(without(2)));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
  });

  it('comes back when it is shown again', async () => {
    const person = await tenDays();
    for (let reads = 0; reads < 2; reads += 1) {
      await sweep(person, answering(without(2)));
      await hoursPass(person, 25);
    }
    expect((await rows(person)).filter((row) => row['deleted'])).toHaveLength(1);
    await sweep(person, answering(without()));
    // Once is not enough: the second look is asked for, and begins a minute later.
    expect((await rows(person)).filter((row) => row['deleted'])).toHaveLength(1);
    await bench.db.pool.query(
      `update daily_rollup set doubt = jsonb_set(doubt, '{notBefore}', '0') where tenant_id = $1 and doubt is not null`,
      [person.scope.tenantId],
    );
    await sweep(person, answering(without()));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    expect(await newEvents(person, 10)).toMatchObject([{ type: 'daily.updated', data: { localDate: day(2), change: 'restored' } }]);
  });
});

describe('nothing follows', () => {
  const twice = async (person: Person, contexts: readonly ReturnType<typeof answering>[]) => {
    for (const context of contexts) {
      await sweep(person, context);
      await hoursPass(person, 25);
    }
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    expect(await newEvents(person, 9)).toEqual([]);
  };
  const partial: FetchOutcome = { ...without(2), complete: false } as FetchOutcome;
  const faulty: FetchOutcome = { ...without(2), faults: ['data[3].day'] } as FetchOutcome;

  it('from reads of what is not authoritative', async () => {
    await twice(await tenDays(), [answering(without(2), { authoritative: false }), answering(without(2), { authoritative: false })]);
  });

  it('from a read that was cut short, or of which a document was not understood', async () => {
    await twice(await tenDays(), [answering(without(2)), answering(partial)]);
    await twice(await tenDays(), [answering(without(2)), answering(faulty)]);
  });

  it('from an answer that shows nothing at all, where that may be a misunderstanding', async () => {
    const google = { authoritative: 'unless_empty' as const };
    await twice(await tenDays(), [answering(showing(), google), answering(showing(), google)]);
    const person = await tenDays();
    for (let reads = 0; reads < 2; reads += 1) {
      await sweep(person, answering(without(2), google));
      await hoursPass(person, 25);
    }
    expect((await rows(person)).filter((row) => row['deleted'])).toHaveLength(1);
  });

  it('from two reads with other scopes, or another parser', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2)));
    await bench.db.pool.query(`update connection set scopes = '{daily,personal,workout}' where tenant_id = $1`, [person.scope.tenantId]);
    await twice(person, [answering(without(2))]);
    await twice(await tenDays(), [answering(without(2)), answering(without(2), {}, { normalizerVersion: 2 })]);
  });

  it('from two reads within a day', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2)));
    await hoursPass(person, 23);
    await sweep(person, answering(without(2)));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
  });

  it('of a day that is not closed, nor beyond what the provider shows', async () => {
    const person = await bench.person();
    const window = { collection: 'daily_activity', from: addDays(today, -40), to: addDays(today, 2), priority: 2 };
    const held = [steps(today), steps(addDays(today, -35)), ...Array.from({ length: 9 }, (_, n) => steps(addDays(today, -10 - n)))];
    const read = async (...records: HealthRecord[]) => {
      await bench.window(person, window);
      await bench.fetch(person, answering(showing(...records), { horizonDays: 28 }));
      await hoursPass(person, 25);
    };
    await read(...held);
    await read(...held.slice(2));
    await read(...held.slice(2));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    expect(await missing(person)).toEqual([{ local_date: today, confirmed_version: null }]);
  });
});

describe('when a good part of a connection vanishes at once', () => {
  it('nothing goes, and one letter says so until it is there again', async () => {
    const person = await tenDays();
    for (let reads = 0; reads < 4; reads += 1) {
      await sweep(person, answering(without(0, 1, 2, 3, 4)));
      await hoursPass(person, 25);
    }
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    expect(await newEvents(person, 9)).toEqual([]);
    expect(await bench.letters(person)).toEqual([
      { bucket: 'drift', code: 'mass_absence', detail: '5 of 9 rows', open: true, close_reason: null },
    ]);
    await sweep(person, answering(without(7)));
    expect(await bench.letters(person)).toMatchObject([{ open: true }]);
    await sweep(person, answering(without()));
    expect(await bench.letters(person)).toMatchObject([{ open: false, close_reason: 'refreshed' }]);
  });

  it('counts what other reads lacked, also before it is confirmed', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(0, 1, 2)));
    await hoursPass(person, 25);
    await sweep(person, answering(without(0, 1, 2, 5, 6)));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    expect(await bench.letters(person)).toMatchObject([{ code: 'mass_absence' }]);
  });
});

describe('a list that may hide what is there', () => {
  const byId = { authoritative: 'by_id' as const };
  const ask = async (person: Person, outcome: FetchOutcome) => {
    await bench.makeDue(person);
    await bench.fetch(person, answering(outcome, byId));
  };
  const objects = async (person: Person) =>
    (await bench.windows(person)).filter((row) => row['window_kind'] === 'object').map((row) => [row['window_start'], row['state']]);

  it('has what it lacks asked for by its id, and ten minutes later, and that answer decides', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2, 4), byId));
    expect(await objects(person)).toEqual([
      [`doc-${day(2)}`, 'waiting'],
      [`doc-${day(4)}`, 'waiting'],
    ]);
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    await bench.fetch(person, answering({ is: 'gone' }, byId));
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([]);
    await ask(person, { is: 'gone' });
    expect((await rows(person)).filter((row) => row['deleted'])).toEqual([
      { local_date: day(2), deleted: true, delete_reason: 'provider_deleted' },
      { local_date: day(4), deleted: true, delete_reason: 'provider_deleted' },
    ]);
    expect(await objects(person)).toEqual([]);
  });

  it('leaves alone what is there when it is asked for', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(2), byId));
    for (let looks = 0; looks <= CONTRADICTION_DELAYS_MS.length; looks += 1) await ask(person, showing(steps(day(2))));
    expect([await objects(person), (await rows(person)).filter((row) => row['deleted'])]).toEqual([[], []]);
    expect(await newEvents(person, 9)).toEqual([]);
  });

  it('asks nobody when it lacks half of all, but a person', async () => {
    const person = await tenDays();
    await sweep(person, answering(without(0, 1, 2, 3, 4), byId));
    expect(await objects(person)).toEqual([]);
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'drift', code: 'mass_absence', detail: '5 of 9 rows', open: true }]);
  });
});

describe('C077 a delete notice of something that we never had', () => {
  it('is done with one read: no row, no event, no letter, no second try', async () => {
    const person = await bench.person();
    for (let times = 0; times < 2; times += 1) {
      await bench.notice(person, { kind: 'deleted', id: 'never-seen' });
      await bench.resolve(person);
      await bench.fetch(person, answering({ is: 'gone' }));
    }
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled', window_start: 'never-seen', attempts: 0 }]);
    expect([await rows(person), await bench.events(person), await bench.letters(person)]).toEqual([[], [], []]);
  });
});
