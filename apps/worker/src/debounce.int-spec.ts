import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@tributary/service-shell';
import { claimWindows } from '@tributary/storage';
import { activityDocument } from '../testing/documents.js';
import { type Person, Workbench } from '../testing/workbench.js';
import { workerMetrics } from './worker-metrics.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});
beforeEach(() => {
  bench.oura.documents.clear();
  bench.oura.beforeAnswer = undefined;
  bench.oura.calls.object = 0;
});

/** When each window is due, in milliseconds from now. */
async function dues(person: Person): Promise<Record<string, number>> {
  const rows = await bench.rows(
    'select window_start, (extract(epoch from due_at) * 1000)::float8 as due from fetch_window where tenant_id = $1 order by 1',
    person,
  );
  return Object.fromEntries(rows.map((row) => [String(row['window_start']), Number(row['due'])]));
}

describe('the pause before a read', () => {
  it('is as long as the tenant wants it: none at all, or seconds', async () => {
    const [hasty, patient] = [await bench.person(), await bench.person({ environment: { debounceMs: 5_000, maxWaitMs: 60_000 } })];
    bench.oura.put('daily_activity', activityDocument({ steps: 9 }));
    for (const person of [hasty, patient]) {
      await bench.notice(person);
      await bench.resolve(person);
      await bench.fetch(person);
    }
    expect(await bench.value(hasty)).toBe(9);
    expect(await bench.value(patient)).toBeUndefined();
    expect(await bench.windows(patient)).toMatchObject([{ state: 'waiting', fetches: 0 }]);
  });

  it('begins anew with each notice and ends at the ceiling, whatever goes on coming', async () => {
    const person = await bench.person({ environment: { debounceMs: 5_000, maxWaitMs: 6_000 } });
    const pushed: number[] = [];
    const begin = Date.now();
    for (let n = 0; n < 3; n += 1) {
      await bench.notice(person);
      await bench.resolve(person);
      pushed.push((await dues(person))['act-1'] as number);
      // As if each came two seconds after the one before.
      if (n < 2)
        await bench.db.pool.query(
          `update fetch_window set first_requested_at = first_requested_at - interval '2 s', due_at = due_at - interval '2 s' where tenant_id = $1`,
          [person.scope.tenantId],
        );
    }
    expect(pushed.map((due) => Math.round((due - begin) / 1_000))).toEqual([5, 4, 2]);
  });

  it('counts how many notices became one read', async () => {
    const metrics = createMetrics('worker');
    const context = bench.contextWith({ metrics: workerMetrics(metrics) });
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    for (let n = 0; n < 11; n += 1) await bench.notice(person);
    context.metrics.notices.inc({ result: 'taken' }, (await bench.resolve(person)).taken);
    await bench.fetch(person, context);
    expect(await metrics.metrics()).toMatch(/tributary_worker_collapse_ratio\S* 11\n/);
    expect(await bench.windows(person)).toMatchObject([{ notices: 11, fetches: 1 }]);
  });
});

describe('notices and reads that cross', () => {
  it('C023: the same notice again just before the read ends, or just after, is no second read and no second event', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    await bench.notice(person);
    await bench.resolve(person);
    await bench.fetch(person);
    const events = (await bench.events(person)).length;
    expect(events).toBeGreaterThan(0);
    bench.oura.calls.object = 0;
    for (let n = 0; n < 100; n += 1) {
      const version = Date.now() * 1_000 + 1_000_000_000 + n;
      const repeat = async () => {
        await bench.notice(person, { version });
        await bench.resolve(person);
      };
      await repeat();
      bench.oura.beforeAnswer = n % 2 === 0 ? repeat : undefined;
      await bench.fetch(person);
      bench.oura.beforeAnswer = undefined;
      if (n % 2 === 1) await repeat();
      // Whatever the queue makes of it: another ticket finds nothing to do.
      await bench.makeDue(person);
      await bench.fetch(person);
    }
    expect(bench.oura.calls.object).toBe(100);
    expect(await bench.events(person)).toHaveLength(events);
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 201 }]);
  }, 120_000);

  it('C029: a notice that lands while the read is held open is read after it, and its change arrives', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument({ steps: 100 }));
    await bench.notice(person);
    await bench.resolve(person);
    bench.oura.beforeAnswer = async () => {
      bench.oura.beforeAnswer = undefined;
      // The answer with the old data is decided; the change comes now.
      bench.oura.put('daily_activity', activityDocument({ steps: 200 }));
      await bench.notice(person);
      await bench.resolve(person);
    };
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(100);
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', dirty: false }]);
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(200);
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled', notices: 2, fetches: 2 }]);
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 2 }]);
  });

  it('C029: … also when the first worker dies in the middle of its read', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument({ steps: 100 }));
    await bench.notice(person);
    await bench.resolve(person);
    // Claimed, and never heard of again.
    expect(await claimWindows(bench.db.pool, { ...person.scope, lane: 0 }, { limit: 20, leaseMs: 30_000 })).toHaveLength(1);
    bench.oura.put('daily_activity', activityDocument({ steps: 200 }));
    await bench.notice(person);
    await bench.resolve(person);
    expect(await bench.windows(person)).toMatchObject([{ state: 'fetching', dirty: true }]);
    expect(await bench.fetch(person)).toBe(false);
    expect(await bench.value(person)).toBeUndefined();
    await bench.db.pool.query(`update fetch_window set due_at = now() where tenant_id = $1`, [person.scope.tenantId]);
    await bench.fetch(person);
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(200);
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled', dirty: false }]);
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 2 }]);
  });

  it('C032: a window that fails again and again waits by its own clock and moves no other', async () => {
    const person = await bench.person({ environment: { debounceMs: 5_000, maxWaitMs: 60_000 } });
    for (let n = 0; n < 20; n += 1) {
      bench.oura.put('daily_activity', activityDocument({ id: `doc-${n}`, day: `2026-08-${String(n + 1).padStart(2, '0')}`, steps: n }));
      await bench.notice(person, { id: `doc-${n}` });
    }
    await bench.resolve(person);
    const { 'doc-0': _, ...others } = await dues(person);
    bench.oura.fault = { answer: { status: 500 }, times: 4 };
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await bench.db.pool.query(`update fetch_window set due_at = now() where tenant_id = $1 and window_start = 'doc-0'`, [
        person.scope.tenantId,
      ]);
      const begin = Date.now();
      await bench.fetch(person);
      const { 'doc-0': due = 0, ...rest } = await dues(person);
      expect(rest).toEqual(others);
      waits.push(due - begin);
    }
    expect(waits.every((wait, n) => n === 0 || wait > (waits[n - 1] as number))).toBe(true);
    expect(bench.oura.calls.object).toBe(4);
    await bench.makeDue(person);
    await bench.fetch(person);
    expect(bench.oura.calls.object).toBe(24);
    expect((await bench.windows(person)).map(({ state, fetches }) => [state, fetches])).toEqual([
      ['settled', 5],
      ...Array.from({ length: 19 }, () => ['settled', 1]),
    ]);
  });
});
