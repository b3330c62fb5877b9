import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually, isolated, readTold, removeFolder, runFile, runLocal, scratchFolder } from './run-local.js';

const redisUrl = process.env['TEST_REDIS_URL'];

const queues = [{ queue: 'postgres', url: undefined }, ...(redisUrl ? [{ queue: 'redis', url: redisUrl }] : [])];
const killings = queues.flatMap((queue) => ['worker', 'outbound'].map((victim) => ({ ...queue, victim })));

describe('kill -9 in the middle of the story', () => {
  const dirs: string[] = [];
  afterAll(() => dirs.forEach(removeFolder));

  it.each(killings)(
    'of $victim, with the queue on $queue: the story still ends with every value right',
    async ({ victim, url }) => {
      const dir = scratchFolder();
      dirs.push(dir);
      const run = runLocal(['--once', '--json'], isolated(dir, url));
      const first = await eventually(() => {
        const { pids, up } = runFile(dir) ?? {};
        return up ? pids : undefined;
      }, 90_000);
      // Three times: wherever in the story it hits, what was in hand must come to its end.
      let last = first[victim];
      for (const wait of [2_500, 3_000, 3_500]) {
        await new Promise((resolve) => setTimeout(resolve, wait));
        const pid = runFile(dir)?.pids[victim];
        if (pid === undefined) break; // the story was quicker
        last = pid;
        process.kill(pid, 'SIGKILL');
      }
      const code = await run.ended;
      const told = readTold(run);
      expect({ faults: told.steps.flatMap((step) => (step.fault ? [`${step.name}: ${step.fault}`] : [])), error: told.error }).toEqual({
        faults: [],
        error: undefined,
      });
      expect(told.ok).toBe(true);
      expect(told.restarts).toBeGreaterThanOrEqual(1);
      expect(last).toBeDefined();
      expect(code).toBe(0);
    },
    240_000,
  );
});
