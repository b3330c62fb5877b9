import { describe, expect, it } from '@jest/globals';
import type { FetchOutcome } from './fetch-outcome.js';
import type { HealthRecord } from './health-record.js';
import { ABSENCE_DELAYS_MS, CONTRADICTION_DELAYS_MS, MAX_ATTEMPTS, type ReadOfWindow, fateOf, retryDelayMs } from './window-fate.js';

const now = 1_000_000;
const read = (outcome: FetchOutcome, rest: Partial<ReadOfWindow> = {}): ReadOfWindow => ({
  outcome,
  expects: 'changed',
  windowKind: 'object',
  attempts: 0,
  contradictions: 0,
  freshToken: false,
  ...rest,
});
const alive: FetchOutcome = { is: 'records', complete: true, records: [{ kind: 'daily' } as HealthRecord] };
const nothing: FetchOutcome = { is: 'records', complete: true, records: [{ kind: 'deleted', providerRecordId: 'x' }] };
const fate = (one: ReadOfWindow) => fateOf(one, now, 0.5);

describe('what follows from a read', () => {
  it('records are applied; what was not read to its end is for a person to see', () => {
    expect(fate(read(alive))).toEqual({ do: 'apply', incomplete: false });
    expect(fate(read({ is: 'records', complete: false, records: [] }, { windowKind: 'days' }))).toEqual({ do: 'apply', incomplete: true });
  });

  it('an object that was said to be deleted and is there is looked at again, then believed', () => {
    const looks = [0, 1, 2, 3].map((contradictions) => fate(read(alive, { expects: 'deleted', contradictions })));
    expect(looks).toEqual([
      ...CONTRADICTION_DELAYS_MS.map((delay, n) => ({
        do: 'again',
        at: now + delay,
        attempts: 0,
        contradictions: n + 1,
        why: 'still_there',
      })),
      { do: 'apply', incomplete: false },
    ]);
    expect(fate(read(nothing, { expects: 'deleted' }))).toEqual({ do: 'apply', incomplete: false });
  });

  it('an absence that was announced counts at once, or after three more looks when something else was announced since', () => {
    expect(fate(read({ is: 'gone' }, { expects: 'deleted' }))).toEqual({ do: 'remove' });
    expect(fate(read({ is: 'gone' }, { deletionTold: true }))).toMatchObject({ do: 'again', at: now + 2_000, contradictions: 1 });
    expect(fate(read({ is: 'gone' }, { deletionTold: true, contradictions: 3 }))).toEqual({ do: 'remove' });
  });

  it('C033 404 straight after create: looked for over minutes, and never believed to be deleted by that alone', () => {
    const looks = ABSENCE_DELAYS_MS.map((_, contradictions) => fate(read({ is: 'gone' }, { contradictions })));
    expect(looks).toEqual(
      ABSENCE_DELAYS_MS.map((delay, n) => ({ do: 'again', at: now + delay, attempts: 0, contradictions: n + 1, why: 'absent' })),
    );
    expect(ABSENCE_DELAYS_MS.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(5 * 60_000);
    expect(fate(read({ is: 'gone' }, { contradictions: ABSENCE_DELAYS_MS.length }))).toEqual({ do: 'leave' });
  });

  it('not ready waits a little, then longer and longer', () => {
    expect(fate(read({ is: 'not-ready' }))).toMatchObject({ do: 'again', at: now + 2_000, attempts: 0 });
    expect(fate(read({ is: 'not-ready' }, { contradictions: 3 }))).toMatchObject({ do: 'again', attempts: 1, why: 'not_ready' });
  });

  it('too many calls cost no attempt, however often', () => {
    expect(fate(read({ is: 'rate-limited', retryAt: now + 77 }, { attempts: 11 }))).toMatchObject({
      do: 'again',
      at: now + 77,
      attempts: 11,
    });
    expect(fate(read({ is: 'rate-limited', retryAt: now - 77 }))).toMatchObject({ at: now });
  });

  it('a refused token is refreshed once; refused again it ends the grant', () => {
    expect(fate(read({ is: 'unauthorised' }))).toEqual({ do: 'refresh-token' });
    expect(fate(read({ is: 'unauthorised' }, { freshToken: true }))).toEqual({ do: 'require-reauth' });
  });

  it('what no retry can mend goes to a person', () => {
    expect(fate(read({ is: 'forbidden', scope: 'daily' }))).toMatchObject({ do: 'again', attempts: 1, why: 'forbidden' });
    expect(fate(read({ is: 'forbidden', scope: 'daily' }, { attempts: MAX_ATTEMPTS - 1 }))).toEqual({
      do: 'bury',
      bucket: 'unresolvable',
      code: 'forbidden',
      detail: 'scope daily',
    });
    expect(fate(read({ is: 'drift', detail: 'day is no civil day' }))).toEqual({
      do: 'bury',
      bucket: 'drift',
      code: 'drift',
      detail: 'day is no civil day',
    });
  });

  it('a passing fault is tried twelve times over some four and a half hours', () => {
    let waited = 0;
    let attempts = 0;
    for (;;) {
      const next = fate(read({ is: 'transient', code: 'http_500' }, { attempts }));
      if (next.do === 'bury') {
        expect(next).toEqual({ do: 'bury', bucket: 'transient', code: 'http_500', detail: '12 tries' });
        break;
      }
      if (next.do !== 'again') throw new Error(next.do);
      waited += next.at - now;
      attempts = next.attempts;
    }
    expect(attempts).toBe(MAX_ATTEMPTS - 1);
    expect(waited / 3_600_000).toBeCloseTo(4.6, 1);
  });

  it('jitter is a fifth, either way', () => {
    expect([0, 0.5, 1].map((random) => retryDelayMs(1, random))).toEqual([1_600, 2_000, 2_400]);
    expect(retryDelayMs(50, 1)).toBe(4_320_000);
  });
});
