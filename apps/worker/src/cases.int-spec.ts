import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventSchemas } from '@tributary/handoffs';
import { activityDocument } from '../testing/documents.js';
import { heartRecord, showing, workoutRecord } from '../testing/records.js';
import { type Person, Workbench } from '../testing/workbench.js';

// What others have met, at the worker's parts on a real database. doubles: Oura.  oracles: rows, events and the bytes of their data.
let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(() => bench.close());

const dataOf = async (person: Person) =>
  (
    await bench.db.pool.query<{ data: Buffer }>('select data from event where tenant_id = $1 order by revision', [person.scope.tenantId])
  ).rows.map(({ data }) => data);

describe('dedupe', () => {
  it('C019: one state that two workers read at the same moment, by an object and by its days, is one event, however often', async () => {
    const person = await bench.person();
    const workers = [bench.contextWith({}), bench.contextWith({})];
    for (let round = 1; round <= 10; round += 1) {
      bench.oura.put('daily_activity', activityDocument({ id: 'act-1', day: '2026-11-28', steps: 1_000 * round }));
      await bench.notice(person);
      await bench.resolve(person);
      await bench.window(person, { collection: 'daily_activity', from: `2026-11-${10 + round}`, to: '2026-11-30' });
      await Promise.all(workers.map((worker) => bench.fetch(person, { ...worker, slice: 1 })));
      for (let more = 0; more < 2; more += 1) await bench.fetch(person);
      const steps = (await bench.events(person)).filter(({ data }) => data['metric'] === 'steps');
      expect(steps).toHaveLength(round);
      expect(new Set(steps.map(({ id }) => id)).size).toBe(round);
      expect(await bench.value(person)).toBe(1_000 * round);
    }
    const ids = (await bench.events(person)).map(({ id }) => id);
    const owed = await bench.rows('select event_id, count(*)::int as n from event_delivery where tenant_id = $1 group by 1', person);
    expect(new Set(owed.map((row) => row['event_id']))).toEqual(new Set(ids));
    expect(owed.every((row) => row['n'] === 1)).toBe(true);
  });
});

describe('unicode', () => {
  const device = (name: string) => ({ source: { id: 'src_x', type: 'watch', manufacturer: name, model: name } }) as const;
  it.each([
    ['a NUL', 'a\0b'],
    ['the six characters of its escape', 'a\\u0000b'],
    ['half a surrogate pair', 'a\ud800b'],
    ['an emoji', 'Ranní běh 🏃‍♀️'],
    ['a line separator', 'a\u2028b'],
  ])('C116: %s in a name of a device and of a sport is kept or taken out, and never loses the record', async (_what, name) => {
    const person = await bench.person();
    const whole = workoutRecord(device(name));
    const record = { ...whole, detail: { ...whole.detail, providerSport: name } };
    await bench.notice(person);
    await bench.resolve(person);
    await bench.fetch(person, showing(bench, record));
    const kept = name.replace('\0', '').replace('a\ud800b', 'a\ufffdb');
    const rows = await bench.rows(`select source, detail from session_record where tenant_id = $1`, person);
    expect(rows).toMatchObject([{ source: { manufacturer: kept, model: kept }, detail: { providerSport: kept } }]);
    const [event] = await bench.events(person);
    expect(event?.data).toMatchObject({ source: { manufacturer: kept }, record: { providerSport: kept } });
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled', attempts: 0 }]);
  });
});

describe('large payload', () => {
  it('C120: a day of 86 400 samples is told in an event of a few hundred bytes, which names the revision to read', async () => {
    const person = await bench.person();
    await bench.notice(person);
    await bench.resolve(person);
    await bench.fetch(person, showing(bench, heartRecord(Array.from({ length: 86_400 }, (_, n) => 50 + (n % 90)))));
    expect(await bench.rows('select cardinality(sample_values) as n, revision from series_day where tenant_id = $1', person)).toEqual([
      { n: 86_400, revision: expect.any(Number) },
    ]);
    const [data, ...more] = await dataOf(person);
    expect(more).toEqual([]);
    expect(data?.length).toBeLessThan(2_000);
    const told = eventSchemas['series.updated'].parse(JSON.parse(String(data)));
    const [row] = await bench.rows('select revision from series_day where tenant_id = $1', person);
    expect(told).toMatchObject({ sampleCount: 86_400, revision: row?.['revision'] });
  });
});

describe('multi-tenant leak', () => {
  it('C146: one account of two people is read for each by their own token, and a dead one stops nobody else', async () => {
    const person = await bench.person();
    const second = await bench.seed.connection(person.app, await bench.seed.user(person.scope), {
      subjectId: person.connection.subjectId,
      accessToken: 'token-of-the-second',
    });
    bench.oura.honoured.add('token-of-the-second');
    bench.oura.grantDead = true;
    bench.oura.put('daily_activity', activityDocument({ id: 'act-1', day: '2026-11-28', steps: 7_000 }));
    await bench.notice(person);
    await bench.notice(person, { connectionId: second.id });
    await bench.resolve(person);
    await bench.fetch(person);
    await bench.fetch(person);
    Object.assign(bench.oura, { grantDead: false });
    bench.oura.honoured.clear();
    expect(await bench.rows('select id, status from connection where tenant_id = $1 order by created_at', person)).toEqual([
      { id: person.connection.id, status: 'reauth_required' },
      { id: second.id, status: 'active' },
    ]);
    const steps = await bench.rows(`select user_id, value from daily_rollup where tenant_id = $1 and metric = 'steps'`, person);
    expect(steps).toEqual([{ user_id: second.userId, value: 7_000 }]);
  });
});
