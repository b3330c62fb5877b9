import { afterAll, describe, expect, it } from '@jest/globals';
import { isolated, readTold, removeFolder, runLocal, scratchFolder } from './run-local.js';

const redisUrl = process.env['TEST_REDIS_URL'];
const queues: { queue: string; url: string | undefined }[] = [
  { queue: 'postgres', url: undefined },
  ...(redisUrl ? [{ queue: 'redis', url: redisUrl }] : []),
];

const stepNames = [
  'connected',
  'ping-event',
  'eleven-pings',
  'retried-post',
  'higher-version-replaces',
  'older-version-loses',
  'forged-and-stale-refused',
  'secret-rotation',
  'receiver-down',
  'deleted',
  'erased-stays-gone',
];

describe.each(queues)('npm start -- --once --json with the queue on $queue', ({ queue, url }) => {
  const dir = scratchFolder();
  afterAll(() => removeFolder(dir));

  it('tells the whole story and every step holds, on a new folder and again on the same data', async () => {
    for (const round of ['cold', 'warm']) {
      const run = runLocal(['--once', '--json'], isolated(dir, url));
      const code = await run.ended;
      const told = readTold(run);
      expect({ round, faults: told.steps.flatMap((step) => step.fault ?? []), error: told.error }).toEqual({
        round,
        faults: [],
        error: undefined,
      });
      expect(told.steps.map(({ name }) => name)).toEqual(stepNames);
      expect(told).toMatchObject({ ok: true, queue, restarts: 0 });
      expect(told.firstEventSeconds).toBeLessThan(60);
      const counts = Object.fromEntries(told.steps.map((step) => [step.name, step.counts]));
      expect(counts['eleven-pings']).toEqual({ pings: 11, fetches: 1, events: 1 });
      expect(counts['retried-post']).toEqual({ acknowledged: 3, newRows: 0, fetches: 0, events: 0 });
      expect(counts['higher-version-replaces']).toEqual({ rows: 1, stored: 8_431, received: 8_431 });
      expect(counts['older-version-loses']).toMatchObject({ fetches: 0, events: 0, value: 8_431 });
      expect(counts['erased-stays-gone']).toMatchObject({ lateWebhook: 200, traces: 0, events: 0 });
      expect(code).toBe(0);
    }
  }, 240_000);
});
