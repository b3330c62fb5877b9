import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DueScan } from './due-scan.js';
import { createLog } from './log.js';

describe('the due-scan', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function scanning(scan: () => Promise<void>, random = 0.5) {
    const warnings: unknown[] = [];
    const log = createLog('test', 'silent');
    log.warn = (line: unknown) => void warnings.push(line);
    return { dueScan: new DueScan({ scan, random: () => random, clock: () => Date.now(), log }), warnings };
  }

  it('pauses for as long as it was told to', async () => {
    let scans = 0;
    const log = createLog('test', 'silent');
    const scan = async () => {
      scans += 1;
    };
    const dueScan = new DueScan({ scan, random: () => 0.5, clock: () => Date.now(), log, pauseMs: [5_000, 10_000] });
    dueScan.start();
    await jest.advanceTimersByTimeAsync(7_499);
    expect(scans).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(scans).toBe(1);
    await dueScan.stop();
  });

  it.each([
    [0, 250],
    [0.5, 375],
    [1, 500],
  ])('with a draw of %d pauses %i ms before each scan', async (random, pauseMs) => {
    let scans = 0;
    const { dueScan } = scanning(async () => {
      scans += 1;
    }, random);
    dueScan.start();
    await jest.advanceTimersByTimeAsync(pauseMs - 1);
    expect(scans).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(scans).toBe(1);
    await jest.advanceTimersByTimeAsync(pauseMs * 3);
    expect(scans).toBe(4);
    await dueScan.stop();
  });

  it('goes on for ever when scans fail, and complains every ten seconds only', async () => {
    let scans = 0;
    const { dueScan, warnings } = scanning(async () => {
      scans += 1;
      throw new Error('no database');
    });
    dueScan.start();
    await jest.advanceTimersByTimeAsync(25_000);
    expect(scans).toBe(66);
    expect(warnings).toHaveLength(3);
    await dueScan.stop();
  });

  it('never runs two scans at once, and stopping waits for the one that runs', async () => {
    let finish = () => {};
    let scans = 0;
    const { dueScan } = scanning(() => {
      scans += 1;
      return new Promise<void>((done) => {
        finish = done;
      });
    });
    dueScan.start();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(scans).toBe(1);
    let stopped = false;
    const stopping = dueScan.stop().then(() => {
      stopped = true;
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(stopped).toBe(false);
    finish();
    await stopping;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(scans).toBe(1);
  });
});
