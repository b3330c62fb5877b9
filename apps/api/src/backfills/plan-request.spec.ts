import { describe, expect, it } from '@jest/globals';
import { Problem } from '@tributary/domain';
import { planRequest } from './plan-request.js';

const now = Date.parse('2026-11-30T12:00:00Z');
const wish = { from: '2026-11-01' };

describe('what a request for a backfill asks for', () => {
  it('what can be read by days, up to tomorrow, since somewhere it is tomorrow already', () => {
    const provider = {
      id: 'p',
      name: 'P',
      collections: {
        nights: { scope: 'a', byDays: true, holds: 'sleep' },
        rides: { scope: 'a', byDays: true, holds: 'workout' },
        told: { scope: 'a', byDays: false, holds: 'daily' },
      },
    } as const;
    const names = (more: object) =>
      planRequest({ ...wish, ...more }, provider, { scopes: ['a'], now }).parts.map((part) => part.collection);
    expect(planRequest(wish, provider, { scopes: ['a'], now })).toMatchObject({ from: '2026-11-01', to: '2026-12-02' });
    expect(names({})).toEqual(['nights', 'rides']);
    expect(names({ kinds: ['workout'] })).toEqual(['rides']);
    expect(names({ collections: ['nights'] })).toEqual(['nights']);
  });

  it('a provider that only sends has nothing to ask for, and the refusal names it', () => {
    const provider = { id: 'p', name: 'Sender', collections: { told: { scope: 'a', byDays: false, holds: 'daily' } } } as const;
    expect(() => planRequest(wish, provider, { scopes: ['a'], now })).toThrow(Problem);
    expect(() => planRequest(wish, provider, { scopes: ['a'], now })).toThrow('Sender');
  });
});
