import { describe, expect, it } from '@jest/globals';
import { historyParts } from './history-parts.js';

const asked = { scopes: ['daily'], from: '2026-01-01', to: '2026-12-02', today: '2026-11-30' };

describe('what of a past can be read', () => {
  it('each collection as far back as was asked for, and no further than the provider shows anything', () => {
    const parts = historyParts(
      {
        steps: { scope: 'daily', byDays: true, holds: 'daily' },
        nights: { scope: 'daily', byDays: true, holds: 'sleep', horizonDays: 28, spanDays: 60 },
        hearts: { scope: 'daily', byDays: true, holds: 'series', spanDays: 1 },
      },
      asked,
    );
    expect(parts).toEqual([
      { collection: 'steps', permitted: true, from: '2026-01-01', to: '2026-12-02', spanDays: 30, horizonDays: undefined },
      { collection: 'nights', permitted: true, from: '2026-11-03', to: '2026-12-02', spanDays: 28, horizonDays: 28 },
      { collection: 'hearts', permitted: true, from: '2026-01-01', to: '2026-12-02', spanDays: 1, horizonDays: undefined },
    ]);
  });

  it('a range shorter than the horizon stays as it was asked for', () => {
    const [part] = historyParts(
      { nights: { scope: 'daily', byDays: true, holds: 'sleep', horizonDays: 28 } },
      { ...asked, from: '2026-11-20' },
    );
    expect(part?.from).toBe('2026-11-20');
  });

  it('C154 what the consent does not cover is named, and not permitted', () => {
    const [part] = historyParts(
      { weight: { scope: 'body', byDays: true, holds: 'measurement' }, steps: { scope: 'daily', byDays: true, holds: 'daily' } },
      asked,
    );
    expect(part).toMatchObject({ collection: 'weight', permitted: false });
  });

  it('what cannot be read by days has no past that we could read', () => {
    expect(historyParts({ dailies: { scope: 'daily', byDays: false, holds: 'daily' } }, asked)).toEqual([]);
  });
});
