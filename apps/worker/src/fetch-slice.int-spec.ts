import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_ATTEMPTS } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { ACTIVITY_VALUES, activityDocument, sleepDocument } from '../testing/documents.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});
beforeEach(() => {
  bench.oura.documents.clear();
  bench.oura.honoured.clear();
  Object.assign(bench.oura, { fault: undefined, beforeAnswer: undefined, refreshToken: undefined, grantDead: false, pageSize: 100 });
  Object.assign(bench.oura.calls, { object: 0, list: 0, refresh: 0, listQueries: [] });
});

/** A person whose day we hold at `steps`, with its events already there. */
async function heldAt(steps: number): Promise<Person> {
  const person = await bench.person();
  bench.oura.put('daily_activity', activityDocument({ steps }));
  await bench.notice(person);
  await bench.resolve(person);
  await bench.fetch(person);
  return person;
}

async function again(person: Person, notice: Parameters<Workbench['notice']>[1] = {}): Promise<void> {
  await bench.notice(person, notice);
  await bench.resolve(person);
  await bench.fetch(person);
}

describe('a notice becomes a value and an event', () => {
  it('eleven notices are one read, and one event for each metric that changed', async () => {
    const person = await heldAt(9_000);
    expect(await bench.events(person)).toHaveLength(ACTIVITY_VALUES);
    bench.oura.calls.object = 0;
    bench.oura.put('daily_activity', activityDocument({ steps: 9_500 }));
    for (let n = 0; n < 11; n += 1) await bench.notice(person);
    expect(await bench.resolve(person)).toMatchObject({ taken: 11, covered: 0, dueLanes: [0] });
    await bench.fetch(person);
    expect(bench.oura.calls.object).toBe(1);
    const events = await bench.events(person);
    expect(events).toHaveLength(ACTIVITY_VALUES + 1);
    expect(events.at(-1)).toMatchObject({
      type: 'daily.updated',
      revision: ACTIVITY_VALUES + 1,
      deliveries: 1,
      data: { metric: 'steps', change: 'updated', record: { value: 9_500 } },
    });
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled', notices: 12, fetches: 2, lease_token: null }]);
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 12 }]);
  });

  it('an event carries what the schema of its type says, and the same revision as the row', async () => {
    const person = await heldAt(9_000);
    bench.oura.put('sleep', sleepDocument());
    await again(person, { collection: 'sleep', id: 'night-1' });
    const events = await bench.events(person);
    const ofType = (type: string) => events.filter((event) => event.type === type);
    // Four of the day, the night, and three that the night has for its day.
    expect([events.length, ofType('daily.updated').length]).toEqual([8, 7]);
    for (const event of events) {
      const schema = eventSchemas[event.type as keyof typeof eventSchemas];
      expect(schema.parse(event.data)).toEqual(event.data);
      expect(event.data['revision']).toBe(event.revision);
      expect(event.user_id).toBe(person.user.id);
    }
    const steps = (await bench.daily(person)).find((row) => row['metric'] === 'steps');
    expect(events.find((e) => e.data['metric'] === 'steps')?.revision).toBe(steps?.['revision']);
    expect(ofType('sleep.updated')[0]?.data).toMatchObject({
      recordId: 'night-1',
      localDate: '2026-09-15',
      previousLocalDate: null,
      user: { externalId: person.user.externalId },
      window: { start: '2026-09-14T21:10:30.000Z', end: '2026-09-15T04:41:30.000Z' },
      record: { asleepS: 25_080, efficiencyPct: 92.7 },
    });
  });

  it('the same content again writes no revision and no event, and raises the version', async () => {
    const person = await heldAt(9_000);
    const before = await bench.daily(person);
    await again(person);
    const after = await bench.daily(person);
    expect(await bench.events(person)).toHaveLength(ACTIVITY_VALUES);
    expect(after.map((row) => row['revision'])).toEqual(before.map((row) => row['revision']));
    expect(Number(after[0]?.['version'])).toBeGreaterThan(Number(before[0]?.['version']));
  });

  it('2 100 then 8 431 is 8 431 and never 10 531', async () => {
    const person = await heldAt(2_100);
    bench.oura.put('daily_activity', activityDocument({ steps: 8_431 }));
    await again(person);
    expect(await bench.value(person)).toBe(8_431);
    bench.oura.put('daily_activity', activityDocument({ steps: 8_100 }));
    await again(person);
    expect(await bench.value(person)).toBe(8_100);
  });

  it('a night that moves to another date stays one row and says where it was', async () => {
    const person = await bench.person();
    bench.oura.put('sleep', sleepDocument());
    await again(person, { collection: 'sleep', id: 'night-1' });
    bench.oura.put('sleep', sleepDocument({ day: '2026-09-16' }));
    await again(person, { collection: 'sleep', id: 'night-1' });
    expect(await bench.rows('select local_date, deleted from session_record where tenant_id = $1', person)).toEqual([
      { local_date: '2026-09-16', deleted: false },
    ]);
    const nights = (await bench.events(person)).filter(({ type }) => type === 'sleep.updated');
    expect(nights.at(-1)?.data).toMatchObject({
      change: 'updated',
      localDate: '2026-09-16',
      previousLocalDate: '2026-09-15',
    });
  });

  it('a disabled endpoint and one that wants other types are owed nothing', async () => {
    const person = await bench.person();
    await bench.seed.endpoint(person.scope, { status: 'disabled' });
    await bench.seed.endpoint(person.scope, { eventTypes: ['sleep.updated'] });
    const wants = await bench.seed.endpoint(person.scope, { eventTypes: ['daily.updated'] });
    bench.oura.put('daily_activity', activityDocument());
    bench.owed.length = 0;
    await again(person);
    const owed = await bench.rows('select distinct endpoint_id from event_delivery where tenant_id = $1 order by 1', person);
    expect(owed.map((row) => row['endpoint_id'])).toEqual([person.endpoint.id, wants.id].sort());
    expect([...bench.owed].sort()).toEqual([person.endpoint.id, wants.id].sort());
  });
});

describe('windows', () => {
  it('a notice that lands during a read makes it run again, and its value arrives', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument({ steps: 1_000 }));
    let during: (() => Promise<void>) | undefined = async () => {
      bench.oura.put('daily_activity', activityDocument({ steps: 2_000 }));
      await bench.notice(person);
      await bench.resolve(person);
    };
    bench.oura.beforeAnswer = async () => {
      const act = during;
      during = undefined;
      await act?.();
    };
    await again(person);
    expect(await bench.value(person)).toBe(1_000);
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', dirty: false }]);
    expect(await bench.notices(person)).toEqual([{ status: 'windowed', n: 2 }]);
    await bench.makeDue(person);
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(2_000);
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 2 }]);
  });

  it('a window of days is read by pages, cut to its days, and kept, while one of a sweep goes', async () => {
    const person = await bench.person();
    bench.oura.pageSize = 2;
    for (const [index, day] of ['2026-09-12', '2026-09-13', '2026-09-14', '2026-09-15', '2026-09-16'].entries()) {
      bench.oura.put('daily_activity', activityDocument({ id: `act-${index}`, day, steps: 1_000 + index }));
    }
    await bench.window(person, { collection: 'daily_activity', from: '2026-09-13', to: '2026-09-16', priority: 2 });
    await bench.window(person, { collection: 'sleep', from: '2026-09-13', to: '2026-09-16' });
    await bench.fetch(person);
    const steps = (await bench.daily(person)).filter((row) => row['metric'] === 'steps');
    expect(steps.map((row) => [row['local_date'], row['value']])).toEqual([
      ['2026-09-13', 1_001],
      ['2026-09-14', 1_002],
      ['2026-09-15', 1_003],
    ]);
    expect(await bench.windows(person)).toMatchObject([{ collection: 'sleep', state: 'settled' }]);
  });

  it('a lease that ran out is taken over, and who held it before writes nothing', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument({ steps: 1_000 }));
    await bench.notice(person);
    await bench.resolve(person);
    let release = () => {};
    let first = true;
    const held = new Promise<void>((done) => {
      release = done;
    });
    bench.oura.beforeAnswer = () => {
      if (!first) return Promise.resolve();
      first = false;
      return held;
    };
    const stuck = bench.fetch(person);
    await until(() => bench.oura.calls.object === 1);
    await bench.db.pool.query(`update fetch_window set due_at = now() where tenant_id = $1 and state = 'fetching'`, [
      person.scope.tenantId,
    ]);
    bench.oura.put('daily_activity', activityDocument({ steps: 3_000 }));
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(3_000);
    release();
    await stuck;
    expect(await bench.value(person)).toBe(3_000);
    expect(await bench.events(person)).toHaveLength(ACTIVITY_VALUES);
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled', fetches: 2 }]);
  });

  it('a read that outlasts its lease keeps it while it works', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    await bench.notice(person);
    await bench.resolve(person);
    bench.oura.beforeAnswer = () => new Promise((done) => setTimeout(done, 1_000));
    const context = bench.contextWith({ leaseMs: 300 });
    const working = bench.fetch(person, context);
    await new Promise((done) => setTimeout(done, 600));
    expect(await bench.fetch(person, context)).toBe(false);
    await working;
    expect(bench.oura.calls.object).toBe(1);
    expect(await bench.events(person)).toHaveLength(ACTIVITY_VALUES);
  });
});

describe('when the provider does not answer well', () => {
  it('429 postpones by what it says, costs no attempt, and spares the other windows of the slice', async () => {
    const person = await bench.person();
    for (const id of ['act-1', 'act-2', 'act-3']) await bench.notice(person, { id });
    await bench.resolve(person);
    bench.oura.fault = { answer: { status: 429, headers: { 'retry-after': '120' } }, times: 99 };
    await bench.fetch(person, bench.contextWith({ fetches: 1 }));
    expect(bench.oura.calls.object).toBe(1);
    expect(await bench.windows(person)).toMatchObject(Array(3).fill({ state: 'waiting', attempts: 0, last_error: 'rate_limited' }));
    const [wait] = await bench.rows(
      'select min(extract(epoch from due_at - now()))::float as s from fetch_window where tenant_id = $1',
      person,
    );
    expect(Number(wait?.['s'])).toBeGreaterThan(110);
    expect(await bench.letters(person)).toEqual([]);
  });

  it('500 is tried again, and after the last try a person is told', async () => {
    const person = await heldAt(9_000);
    bench.oura.fault = { answer: { status: 503 }, times: 99 };
    await again(person);
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', attempts: 1, last_error: 'http_503' }]);
    await bench.db.pool.query(`update fetch_window set attempts = 11, due_at = now() where tenant_id = $1`, [person.scope.tenantId]);
    await bench.fetch(person);
    expect(await bench.windows(person)).toMatchObject([{ state: 'dead' }]);
    expect(await bench.letters(person)).toEqual([
      { bucket: 'transient', code: 'http_503', detail: '12 tries', open: true, close_reason: null },
    ]);
    expect(await bench.value(person)).toBe(9_000);

    bench.oura.fault = undefined;
    bench.oura.put('daily_activity', activityDocument({ steps: 9_100 }));
    await again(person);
    expect(await bench.value(person)).toBe(9_100);
    expect(await bench.letters(person)).toMatchObject([{ open: false, close_reason: 'refreshed' }]);
  });

  it('a shape that we do not know keeps the old value and opens one letter that names the path', async () => {
    const person = await heldAt(9_000);
    bench.oura.put('daily_activity', activityDocument({ steps: '9500' }));
    await again(person);
    await again(person);
    expect(await bench.value(person)).toBe(9_000);
    expect(await bench.letters(person)).toEqual([
      { bucket: 'drift', code: 'drift', detail: 'steps is no number', open: true, close_reason: null },
    ]);
    expect(await bench.events(person)).toHaveLength(ACTIVITY_VALUES);
  });

  it('403 opens a letter that names the scope, once it has lasted for hours', async () => {
    const person = await bench.person();
    bench.oura.fault = { answer: { status: 403 }, times: 99 };
    await again(person);
    for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts += 1) {
      expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', attempts, last_error: 'forbidden' }]);
      await bench.makeDue(person);
      await bench.fetch(person);
    }
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'unresolvable', code: 'forbidden', detail: 'scope daily' }]);
  });
});

describe('erasure and ended connections', () => {
  it('a person who is erased during a read leaves nothing', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    bench.oura.beforeAnswer = async () => {
      for (const table of ['webhook_notice', 'fetch_window'])
        await bench.db.pool.query(`delete from ${table} where tenant_id = $1`, [person.scope.tenantId]);
      await bench.db.pool.query('delete from connection where tenant_id = $1', [person.scope.tenantId]);
    };
    await again(person);
    expect(await bench.daily(person)).toEqual([]);
    expect(await bench.events(person)).toEqual([]);
    expect(await bench.rows('select last_revision from revision_counter where tenant_id = $1', person)).toEqual([{ last_revision: 0 }]);
  });

  it.each(['disconnected', 'revoked'])('a connection that became %s during a read gets nothing, and its window goes', async (status) => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    bench.oura.beforeAnswer = async () => {
      await bench.db.pool.query('update connection set status = $2 where tenant_id = $1', [person.scope.tenantId, status]);
    };
    await again(person);
    expect(await bench.daily(person)).toEqual([]);
    expect(await bench.events(person)).toEqual([]);
    await bench.db.pool.query(`update fetch_window set due_at = now() where tenant_id = $1`, [person.scope.tenantId]);
    await bench.fetch(person);
    expect(await bench.windows(person)).toEqual([]);
  });

  it('an erasure that is under way makes the write wait, and then lose', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    const eraser = await bench.db.pool.connect();
    await eraser.query('begin');
    await eraser.query('select 1 from connection where tenant_id = $1 for update', [person.scope.tenantId]);
    await bench.notice(person);
    const filing = bench.resolve(person);
    await eraser.query('delete from webhook_notice where tenant_id = $1', [person.scope.tenantId]);
    await eraser.query('delete from connection where tenant_id = $1', [person.scope.tenantId]);
    await new Promise((done) => setTimeout(done, 50));
    await eraser.query('commit');
    eraser.release();
    await filing;
    expect(await bench.windows(person)).toEqual([]);
    expect(await bench.notices(person)).toEqual([]);
  });

  it('a notice of a connection that is gone is deleted, and one of a connection that ended makes no window', async () => {
    const person = await bench.person({ connection: { status: 'disconnected' } });
    await bench.notice(person);
    await bench.notice(person, { connectionId: 'con_gone' });
    await bench.resolve(person);
    expect(await bench.notices(person)).toEqual([{ status: 'dead', n: 1 }]);
    expect(await bench.windows(person)).toEqual([]);
  });

  it('a window of a connection that waits for consent is parked, and read when it is active again', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    await bench.notice(person);
    await bench.resolve(person);
    await bench.db.pool.query(`update connection set status = 'reauth_required' where tenant_id = $1`, [person.scope.tenantId]);
    await bench.fetch(person);
    expect(await bench.windows(person)).toMatchObject([{ state: 'parked' }]);
    expect(bench.oura.calls.object).toBe(0);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 5));
}
