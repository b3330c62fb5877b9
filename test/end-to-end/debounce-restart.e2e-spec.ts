import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activityDocument } from '../../apps/worker/testing/documents.js';
import { Workbench } from '../../apps/worker/testing/workbench.js';
import { spawnWorker } from './worker-process.js';

const WINDOWS = 20;

describe('a worker that is killed while windows wait', () => {
  let bench: Workbench;
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await bench.close();
  });

  const startWorker = (): ChildProcess => {
    const child = spawnWorker(bench, { LOG_LEVEL: 'warn' });
    running.push(child);
    return child;
  };
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const end = Date.now() + 30_000;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  };

  it('C032: the next one reads each window once, no earlier than its pause and no later than its longest wait', async () => {
    const maxWaitMs = 20_000;
    const person = await bench.person({ environment: { debounceMs: 6_000, maxWaitMs } });
    for (let n = 0; n < WINDOWS; n += 1) {
      bench.oura.put(
        'daily_activity',
        activityDocument({ id: `doc-${n}`, day: `2026-08-${String(n + 1).padStart(2, '0')}`, steps: 1_000 + n }),
      );
      await bench.notice(person, { id: `doc-${n}` });
      await bench.notice(person, { id: `doc-${n}` });
    }
    const first = startWorker();
    await until(
      'every window waits',
      async () => (await bench.windows(person)).filter(({ state }) => state === 'waiting').length === WINDOWS,
    );
    const filed = Date.now();
    const due = await bench.rows(
      `select (extract(epoch from min(due_at)) * 1000)::float8 as at from fetch_window where tenant_id = $1`,
      person,
    );
    first.kill('SIGKILL');
    await new Promise((done) => first.once('exit', done));
    expect(bench.oura.calls.object).toBe(0);
    startWorker();
    let began: number | undefined;
    await until('every window is settled', async () => {
      if (bench.oura.calls.object > 0) began ??= Date.now();
      return (await bench.windows(person)).every(({ state }) => state === 'settled');
    });
    expect(Date.now() - filed).toBeLessThan(maxWaitMs);
    expect(began).toBeGreaterThan(Number(due[0]?.['at']) - 100);
    expect(bench.oura.calls.object).toBe(WINDOWS);
    expect((await bench.windows(person)).every(({ fetches, notices }) => fetches === 1 && notices === 2)).toBe(true);
    const values = (await bench.daily(person)).filter(({ metric }) => metric === 'steps').map(({ value }) => value);
    expect(values).toEqual(Array.from({ length: WINDOWS }, (_, n) => 1_000 + n));
    await until('the resolved view shows them', async () => {
      const shown = await bench.rows(
        `select count(*)::int as n from resolved_record where tenant_id = $1 and metric = 'steps' and picked_provider = 'oura' and not deleted`,
        person,
      );
      return shown[0]?.['n'] === WINDOWS;
    });
  });
});
