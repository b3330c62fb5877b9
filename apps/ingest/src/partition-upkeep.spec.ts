import { describe, expect, it } from '@jest/globals';
import { inboundProviders } from '@tributary/providers';
import type { Logger } from '@tributary/service-shell';
import { type KeptPartitions, WEBHOOK_PERIOD_DAYS } from '@tributary/storage';
import { startPartitionUpkeep } from './partition-upkeep.js';

const DAY_MS = 24 * 3_600_000;
const MARGIN_DAYS = 2;
const pause = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Upkeep whose rounds end as told, the last one over and over. */
function upkeep(rounds: (KeptPartitions | Error)[], times: { everyMs: number; againMs: number }) {
  let calls = 0;
  const told: string[] = [];
  const tell = (entry: { what: string }) => told.push(entry.what);
  const running = startPartitionUpkeep({
    keep: async () => {
      const round = rounds[Math.min(calls, rounds.length - 1)];
      calls += 1;
      if (round instanceof Error) throw round;
      return round as KeptPartitions;
    },
    log: { info: tell, warn: tell } as unknown as Logger,
    ...times,
  });
  return { running, told, calls: () => calls };
}
const quiet = { made: 0, dropped: 0, keptWaiting: 0 };

describe('the upkeep of partitions', () => {
  it('runs at once and again after its time, and says nothing when there was nothing to do', async () => {
    const { running, told, calls } = upkeep([quiet], { everyMs: 5, againMs: 60_000 });
    await pause(60);
    await running.stop();
    expect(calls()).toBeGreaterThan(2);
    const before = calls();
    await pause(20);
    expect([calls(), told]).toEqual([before, []]);
  });

  it('tells what it made and dropped, what it had to keep, and comes again soon after a failure', async () => {
    const rounds = [new Error('lock timeout'), { made: 2, dropped: 1, keptWaiting: 0 }, { ...quiet, keptWaiting: 1 }, quiet];
    const { running, told } = upkeep(rounds, { everyMs: 1, againMs: 1 });
    await pause(60);
    await running.stop();
    expect(told).toEqual(['ingest.partitions_failed', 'ingest.partitions', 'ingest.partitions_kept']);
  });

  it('keeps a delivery for longer than any provider repeats it', () => {
    for (const { id, facts } of inboundProviders)
      expect({ id, days: (facts.retryHorizonMs ?? 0) / DAY_MS + MARGIN_DAYS <= WEBHOOK_PERIOD_DAYS }).toEqual({ id, days: true });
  });
});
