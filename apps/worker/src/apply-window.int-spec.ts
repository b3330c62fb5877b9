import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENCE_DELAYS_MS } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { activityDocument, sleepDocument } from '../testing/documents.js';
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

describe('order comes from versions', () => {
  it('a slow read that began earlier loses to a quick one that began later', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument({ steps: 5_000 }));
    await bench.window(person, { collection: 'daily_activity', from: '2026-09-14', to: '2026-09-15' });
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    bench.oura.beforeAnswer = (path) => (path.endsWith('daily_activity') ? held : Promise.resolve());
    const slow = bench.fetch(person);
    await until(() => bench.oura.calls.list === 1);
    bench.oura.put('daily_activity', activityDocument({ steps: 6_000 }));
    await again(person);
    expect(await bench.value(person)).toBe(6_000);
    const told = (await bench.events(person)).length;
    release();
    await slow;
    expect(await bench.value(person)).toBe(6_000);
    expect(await bench.events(person)).toHaveLength(told);
    // Two reads that overlap have no order: one more read settles what they disagree on.
    expect(await bench.windows(person)).toContainEqual(expect.objectContaining({ window_kind: 'days', state: 'waiting' }));
    await bench.later(person, 5);
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(6_000);
    expect(await bench.events(person)).toHaveLength(told);
    expect(await bench.rows('select 1 from daily_rollup where tenant_id = $1 and unsettled', person)).toEqual([]);
  });

  it('a slow read cannot bring back a document that was found to be gone before there was a row of it', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    await bench.window(person, { collection: 'daily_activity', from: '2026-09-14', to: '2026-09-15' });
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    bench.oura.beforeAnswer = (path) => (path.endsWith('daily_activity') ? held : Promise.resolve());
    const slow = bench.fetch(person);
    await until(() => bench.oura.calls.list === 1);
    bench.oura.remove('daily_activity', 'act-1');
    await again(person, { kind: 'deleted' });
    release();
    await slow;
    expect(await bench.daily(person)).toEqual([]);
    expect(await bench.events(person)).toEqual([]);
  });

  it('a row that was seen later keeps its value', async () => {
    const person = await heldAt(9_000);
    const told = (await bench.events(person)).length;
    await bench.later(person, -60);
    bench.oura.put('daily_activity', activityDocument({ steps: 7_000 }));
    await again(person);
    expect(await bench.value(person)).toBe(9_000);
    expect(await bench.events(person)).toHaveLength(told);
  });

  it('a read of days does not delete what it does not return', async () => {
    const person = await heldAt(9_000);
    bench.oura.documents.clear();
    await bench.window(person, { collection: 'daily_activity', from: '2026-09-13', to: '2026-09-16' });
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(9_000);
  });
});

describe('deletion', () => {
  it('a delete notice and a 404 mark every row of the document, with one event each', async () => {
    const person = await heldAt(9_000);
    bench.oura.documents.clear();
    await again(person, { kind: 'deleted' });
    const rows = await bench.daily(person);
    expect(rows.map((row) => row['deleted'])).toEqual(rows.map(() => true));
    const events = (await bench.events(person)).slice(rows.length);
    expect(events.map((e) => [e.type, e.data['reason'], e.data['recordId']])).toEqual(
      rows.map(() => ['record.deleted', 'provider_deleted', null]),
    );
    for (const { data } of events) expect(eventSchemas['record.deleted'].parse(data)).toEqual(data);
  });

  it('what was deleted comes back only when two newer reads show it, and says so', async () => {
    const person = await heldAt(9_000);
    bench.oura.documents.clear();
    await again(person, { kind: 'deleted' });
    bench.oura.put('daily_activity', activityDocument({ steps: 100 }));
    await again(person);
    expect(await bench.value(person)).toBeUndefined();
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', lease_token: null }]);
    await bench.later(person, 2);
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(100);
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled' }]);
    expect((await bench.events(person)).at(-1)?.data).toMatchObject({ change: 'restored' });
  });

  it('C033 404 straight after create: what is there at the third look is stored', async () => {
    const person = await bench.person();
    await again(person);
    for (const looks of [1, 2]) {
      expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', contradictions: looks, attempts: 0, last_error: 'absent' }]);
      if (looks === 2) bench.oura.put('daily_activity', activityDocument({ steps: 9_000 }));
      await bench.makeDue(person);
      await bench.fetch(person);
    }
    expect(await bench.value(person)).toBe(9_000);
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled', contradictions: 0 }]);
  });

  it('C033 404 straight after create: for ever, nothing is stored, and what was held is not deleted by that alone', async () => {
    const [newcomer, held] = [await bench.person(), await heldAt(9_000)];
    bench.oura.documents.clear();
    for (const person of [newcomer, held]) {
      const before = await bench.events(person);
      await again(person);
      for (let looks = 1; looks <= ABSENCE_DELAYS_MS.length; looks += 1) {
        expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', contradictions: looks, attempts: 0, last_error: 'absent' }]);
        await bench.makeDue(person);
        await bench.fetch(person);
      }
      expect(await bench.windows(person)).toMatchObject([{ state: 'settled', contradictions: 0 }]);
      expect(await bench.events(person)).toEqual(before);
      expect(await bench.letters(person)).toEqual([]);
    }
    expect(await bench.daily(newcomer)).toEqual([]);
    expect(await bench.value(held)).toBe(9_000);
  });

  it('C033 a delete notice that came before a late one of a change still counts', async () => {
    const person = await heldAt(9_000);
    bench.oura.documents.clear();
    const earlier = Date.now() * 1000;
    await bench.notice(person, { kind: 'deleted', version: earlier });
    await bench.notice(person, { version: earlier + 1 });
    await bench.resolve(person);
    await bench.fetch(person);
    for (const looks of [1, 2, 3]) {
      expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', contradictions: looks, last_error: 'absent' }]);
      expect(await bench.value(person)).toBe(9_000);
      await bench.makeDue(person);
      await bench.fetch(person);
    }
    expect(await bench.value(person)).toBeUndefined();
  });

  it('a night that turns into type deleted goes, and one that was only rest too', async () => {
    for (const type of ['deleted', 'rest']) {
      const person = await bench.person();
      bench.oura.put('sleep', sleepDocument());
      await again(person, { collection: 'sleep', id: 'night-1' });
      bench.oura.put('sleep', sleepDocument({ type }));
      await again(person, { collection: 'sleep', id: 'night-1' });
      expect(await bench.rows('select deleted, delete_reason from session_record where tenant_id = $1', person)).toEqual([
        { deleted: true, delete_reason: 'provider_deleted' },
      ]);
      expect((await bench.events(person)).filter(({ type }) => type === 'record.deleted')).toContainEqual(
        expect.objectContaining({ data: expect.objectContaining({ metric: 'sleep_session', recordId: 'night-1' }) }),
      );
    }
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 5));
}
