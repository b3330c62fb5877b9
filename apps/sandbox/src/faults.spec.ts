import { describe, expect, it } from '@jest/globals';
import { FaultBox, faultsShape } from './faults.js';

describe('the fault switches', () => {
  it('do nothing until they are set, and stay as they are when another is set', () => {
    const box = new FaultBox();
    expect([box.takeFailingRead(), box.takeNotReady(), box.takeDrop(), box.readDelayMs, box.duplicates]).toEqual([
      undefined,
      false,
      false,
      0,
      0,
    ]);
    box.set({ readDelayMs: 20 });
    expect(box.set({ duplicateWebhooks: true })).toEqual({ readDelayMs: 20, duplicateWebhooks: true });
    expect(box.duplicates).toBe(1);
    expect(box.set({ readDelayMs: null })).toEqual({ duplicateWebhooks: true });
  });

  it('that count are used up', () => {
    const box = new FaultBox();
    box.set({ failReads: { status: 503, times: 2 }, notReady: 1, dropWebhooks: 1 });
    expect([box.takeFailingRead(), box.takeFailingRead(), box.takeFailingRead()]).toEqual([503, 503, undefined]);
    expect([box.takeNotReady(), box.takeNotReady()]).toEqual([true, false]);
    expect([box.takeDrop(), box.takeDrop()]).toEqual([true, false]);
  });

  it('limit reads in a window and say when it is over', () => {
    const box = new FaultBox();
    box.set(faultsShape.parse({ rateLimit: { limit: 2, windowS: 10 } }));
    const read = (now: number, token = 't1') => box.passedLimit({ app: 'a', token }, now);
    expect([read(1_000_000), read(1_001_000, 't2')]).toEqual([undefined, undefined]);
    expect(read(1_002_500)).toEqual({ limit: 2, windowS: 10, tier: 'app', used: 3, resetInS: 8, resetAtS: 1010 });
    expect(read(1_010_000)).toBeUndefined();
    box.set(faultsShape.parse({ rateLimit: { limit: 1, windowS: 10, tier: 'token' } }));
    expect([read(2_000_000, 't1'), read(2_000_000, 't2')]).toEqual([undefined, undefined]);
    expect(read(2_000_001, 't2')?.tier).toBe('token');
  });

  it('refuse a switch that does not exist', () => {
    expect(() => faultsShape.parse({ readDelay: 5 })).toThrow(/readDelay/);
  });
});
