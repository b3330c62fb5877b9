import { describe, expect, it } from '@jest/globals';
import type { FetchOutcome } from '@tributary/domain';
import type { Pause } from './budget-visit.js';
import { paused } from './call-budget-outcome.js';

const NOW = 1_000_000;
const refusal: Pause = { scope: 'connection', kind: 'live', waitMs: 60_000, spacingMs: 400 };
const limited = (retryAt: number): FetchOutcome => ({ is: 'rate-limited', retryAt });

describe('a read during which calls ran out', () => {
  it('waits as long as the later of both says', () => {
    expect(paused(limited(NOW + 5_000), refusal, NOW)).toEqual({ outcome: limited(NOW + 60_000), pause: refusal });
    expect(paused(limited(NOW + 90_000), refusal, NOW)).toEqual({
      outcome: limited(NOW + 90_000),
      pause: { ...refusal, waitMs: 90_000 },
    });
  });

  it('that an adapter took for a passing fault waits, and did not fail', () => {
    expect(paused({ is: 'transient', code: 'http_429' }, refusal, NOW).outcome).toEqual(limited(NOW + 60_000));
    expect(paused({ is: 'transient', code: 'http_500' }, undefined, NOW)).toEqual({
      outcome: { is: 'transient', code: 'http_500' },
      pause: undefined,
    });
  });

  it('that was not made waits', () => {
    expect(paused(undefined, refusal, NOW)).toEqual({ outcome: limited(NOW + 60_000), pause: refusal });
  });

  it('keeps what it found all the same', () => {
    const found: FetchOutcome = { is: 'records', complete: true, records: [] };
    expect(paused(found, refusal, NOW)).toEqual({ outcome: found, pause: refusal });
    expect(paused(found, undefined, NOW)).toEqual({ outcome: found, pause: undefined });
  });

  it('that nobody but the adapter saw stops the app', () => {
    expect(paused(limited(NOW + 7_000), undefined, NOW)).toEqual({
      outcome: limited(NOW + 7_000),
      pause: { scope: 'app', kind: 'live', waitMs: 7_000, spacingMs: 1_000 },
    });
  });
});
