import { describe, expect, it } from '@jest/globals';
import type { Logger } from '@tributary/service-shell';
import type { KeptAttemptPartitions } from '@tributary/storage';
import { startAttemptUpkeep } from './attempt-upkeep.js';

/** Upkeep whose rounds end as told; `done` once all of them, and one more, were begun. */
function upkeep(rounds: readonly (KeptAttemptPartitions | Error)[]) {
  const nows: number[] = [];
  const told: unknown[] = [];
  const tell = ({ what, made, dropped }: { what: string; made?: number; dropped?: number }) => told.push([what, made, dropped]);
  let now = 1_000;
  let end = () => undefined as void;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const running = startAttemptUpkeep({
    keep: async (at) => {
      nows.push(at);
      const round = rounds[nows.length - 1];
      if (round === undefined) end();
      if (round instanceof Error) throw round;
      return round ?? { made: 0, dropped: 0 };
    },
    clock: () => (now += 1),
    log: { info: tell, warn: tell } as unknown as Logger,
    everyMs: 1,
    againMs: 1,
  });
  return { running, done, nows, told };
}

describe('the upkeep of the log of attempts', () => {
  it('runs at once and again, each time by the clock it was given, and tells what it made, dropped or failed at', async () => {
    const { running, done, nows, told } = upkeep([{ made: 2, dropped: 1 }, new Error('lock timeout'), { made: 0, dropped: 0 }]);
    await done;
    await running.stop();
    expect(nows.slice(0, 4)).toEqual([1_001, 1_002, 1_003, 1_004]);
    expect(told).toEqual([
      ['attempts.partitions', 2, 1],
      ['attempts.partitions_failed', undefined, undefined],
    ]);
  });

  it('does nothing more once it was stopped', async () => {
    const { running, done, nows } = upkeep([]);
    await done;
    await running.stop();
    const before = nows.length;
    await new Promise((wait) => setTimeout(wait, 30));
    expect(nows).toHaveLength(before);
  });
});
