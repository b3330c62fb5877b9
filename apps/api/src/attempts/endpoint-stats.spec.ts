import { describe, expect, it } from '@jest/globals';
import { statsQuery, statsWindow } from './endpoint-stats.js';

const now = Date.UTC(2026, 11, 1, 9, 14, 7);
const window = (query: Record<string, string>) => {
  const made = statsWindow(statsQuery.parse(query), now);
  return 'fault' in made ? made : { slot: made.slot, from: new Date(made.from).toISOString(), to: new Date(made.to).toISOString() };
};

describe('the window of statistics', () => {
  it('is the last day by hours, or the last thirty days, until now', () => {
    expect(window({})).toEqual({ slot: 'hour', from: '2026-11-30T09:00:00.000Z', to: '2026-12-01T09:14:07.000Z' });
    expect(window({ by: 'day' })).toEqual({ slot: 'day', from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T09:14:07.000Z' });
  });

  it('begins with the hour or day in which its start is, and ends where it is told', () => {
    expect(window({ from: '2026-12-01T05:59:59+01:00', to: '2026-12-01T07:30:00Z' })).toEqual({
      slot: 'hour',
      from: '2026-12-01T04:00:00.000Z',
      to: '2026-12-01T07:30:00.000Z',
    });
  });

  it.each([
    [{ from: '2026-11-24T09:20:00Z' }, undefined],
    [{ from: '2026-11-24T08:00:00Z' }, 'is more than 7 days before "to"; ask by day'],
    [{ by: 'day', from: '2026-10-31T10:00:00Z' }, undefined],
    [{ by: 'day', from: '2026-10-30T10:00:00Z' }, 'is more than 31 days before "to"'],
    [{ from: '2026-12-01T09:00:00Z', to: '2026-12-01T09:00:00Z' }, 'is not before "to"'],
    [{ from: '2026-12-02T00:00:00Z' }, 'is not before "to"'],
  ])('%j: %s', (query, fault) => {
    const made = window(query);
    expect('fault' in made ? made.fault : undefined).toBe(fault);
  });
});
