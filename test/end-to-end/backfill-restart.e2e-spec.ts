import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { BackfillWorld, activity, today } from '../../apps/worker/testing/backfill-world.js';
import { Workbench } from '../../apps/worker/testing/workbench.js';
import { spawnWorker } from './worker-process.js';

const DAYS = 150;
const KILLS = 3;

describe('a worker that is killed in the middle of a backfill', () => {
  let bench: Workbench;
  let world: BackfillWorld;
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    bench = await Workbench.open();
    world = new BackfillWorld(bench);
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await bench.close();
  });

  const startWorker = (): ChildProcess => {
    const child = spawnWorker(bench, { WORKER_LEASE_MS: '1000', LOG_LEVEL: 'error' });
    running.push(child);
    return child;
  };
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const end = Date.now() + 50_000;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  };

  it('is followed by the next one from its mark: no day is left out or counted twice, and one event ends it', async () => {
    const person = await bench.person();
    world.past(DAYS);
    // Small pages make reads of many calls, so that there is a middle to be killed in.
    bench.oura.pageSize = 5;
    await world.begin(person, { days: DAYS - 1, parts: activity });
    const marks: (string | undefined)[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const calls = bench.oura.calls.list;
      const worker = startWorker();
      // Killed at the answer to its next calls: a read is under way, or its transaction.
      await until('a read is under way', async () => bench.oura.calls.list > calls + 1 + kill);
      worker.kill('SIGKILL');
      await new Promise((done) => worker.once('exit', done));
      const { reached, daysDone } = (await world.part(person)) ?? { reached: undefined, daysDone: 0 };
      marks.push(reached);
      // All that the mark says was read is there, and its counts say as much.
      const held = (await bench.daily(person)).filter((row) => row['metric'] === 'steps' && String(row['local_date']) >= String(reached));
      expect(held).toHaveLength(Math.max(daysDone - 1, 0));
    }
    expect([...marks].sort().reverse()).toEqual(marks);
    startWorker();
    await until('the backfill has ended', async () => (await world.shown(person)).state !== 'running');
    expect(await world.part(person)).toMatchObject({
      state: 'done',
      days: DAYS + 1,
      daysDone: DAYS + 1,
      daysFailed: 0,
      reached: addDays(today, 1 - DAYS),
    });
    const steps = (await bench.daily(person)).filter((row) => row['metric'] === 'steps');
    expect(steps.map((row) => row['value'])).toEqual(Array.from({ length: DAYS }, (_, n) => 1_000 + DAYS - 1 - n));
    expect(await world.completions(person)).toMatchObject([{ data: { status: 'completed', windowsFailed: 0 } }]);
    const told = (await bench.events(person)).filter(({ type, data }) => type === 'daily.updated' && data['metric'] === 'steps');
    expect(told).toHaveLength(DAYS);
    expect(await bench.letters(person)).toEqual([]);
  }, 150_000);
});
