import { describe, expect, it } from '@jest/globals';
import { KNOWN_MS, type KnownCaller, KnownKeys } from './known-keys.js';

const caller: KnownCaller = { tenantId: 'ten_1', environment: 'test', actor: 'key_1', keyScopes: ['*'], expiresAt: null };

function knowing(seenAt: number, who: KnownCaller = caller): KnownKeys {
  const keys = new KnownKeys();
  keys.beginLook('h', seenAt).found(who);
  return keys;
}

describe('keys that were found a moment ago', () => {
  it('are known for three seconds from when the look began, and not a millisecond longer', () => {
    expect(KNOWN_MS).toBe(3_000);
    const keys = knowing(1_000);
    expect(keys.find('h', 2_499)).toBe(caller);
    expect(keys.find('other', 1_000)).toBeUndefined();
    // One looks again, the others go on.
    expect(keys.find('h', 2_500)).toBeUndefined();
    expect(keys.find('h', 2_500)).toBe(caller);
    expect(keys.find('h', 3_999)).toBe(caller);
    expect(keys.find('h', 4_000)).toBeUndefined();
    expect(keys.find('h', 3_000)).toBeUndefined();
  });

  it('are known anew from a later look, counted from its begin', () => {
    const keys = knowing(1_000);
    const look = keys.beginLook('h', 2_500);
    look.found(caller);
    expect(keys.find('h', 3_999)).toBe(caller);
    keys.find('h', 5_499);
    expect(keys.find('h', 5_499)).toBe(caller);
    expect(keys.find('h', 5_500)).toBeUndefined();
  });

  it('are forgotten when a look refuses them', () => {
    const keys = knowing(1_000);
    keys.beginLook('h', 2_500).refused();
    expect(keys.find('h', 2_501)).toBeUndefined();
  });

  it('are forgotten at a revocation, also by a look that began before it and ends after it', () => {
    const keys = knowing(1_000);
    const early = keys.beginLook('h', 1_100);
    keys.revoked();
    expect(keys.find('h', 1_101)).toBeUndefined();
    early.found(caller);
    expect(keys.find('h', 1_102)).toBeUndefined();
    keys.beginLook('h', 1_200).found(caller);
    expect(keys.find('h', 1_201)).toBe(caller);
  });

  it('end at the moment that the key names, and with a clock that was set back', () => {
    const keys = knowing(1_000, { ...caller, expiresAt: new Date(1_500) });
    expect(keys.find('h', 1_499)?.actor).toBe('key_1');
    expect(keys.find('h', 1_500)).toBeUndefined();
    expect(knowing(1_000).find('h', 999)).toBeUndefined();
  });

  it('are ten thousand at the most: the one that was looked up longest ago goes', () => {
    const keys = knowing(1_000);
    for (let n = 1; n <= 10_000; n += 1) keys.beginLook(`h${n}`, 1_000).found(caller);
    expect(keys.find('h', 1_000)).toBeUndefined();
    expect([keys.find('h1', 1_000), keys.find('h10000', 1_000)]).toEqual([caller, caller]);
  });
});
