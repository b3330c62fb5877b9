import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { KeyRing } from './key-ring.js';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('the key ring', () => {
  const [k1, k2] = [key('k1'), key('k2')];

  it('opens what it sealed, in the same context only', () => {
    const ring = new KeyRing(k1);
    const sealed = ring.seal('täler 🏔', 'provider_app_secret:sec_1');
    expect(ring.open(sealed, 'provider_app_secret:sec_1')).toBe('täler 🏔');
    expect(() => ring.open(sealed, 'provider_app_secret:sec_2')).toThrow();
    expect(sealed.includes(Buffer.from('täler'))).toBe(false);
  });

  it('opens with an older key while sealing with the first', () => {
    const sealed = new KeyRing(k1).seal('token', 'c');
    const rotated = new KeyRing(`${k2},${k1}`);
    expect(rotated.open(sealed, 'c')).toBe('token');
    expect(rotated.seal('token', 'c').subarray(2, 4).toString()).toBe('k2');
    expect(() => new KeyRing(k2).open(sealed, 'c')).toThrow('not in TRIBUTARY_KEYS');
  });

  it('refuses a value that was altered by one bit, anywhere', () => {
    const ring = new KeyRing(k1);
    const sealed = ring.seal('token', 'c');
    for (let i = 0; i < sealed.length; i += 1) {
      const altered = Buffer.from(sealed);
      altered[i] = (altered[i] as number) ^ 1;
      expect(() => ring.open(altered, 'c')).toThrow();
    }
  });

  it('hashes a subject with every key, newest first, and differently for each app', () => {
    const both = new KeyRing(`${k2},${k1}`);
    expect(both.subjectHashes('app_1', 's')).toEqual([
      ...new KeyRing(k2).subjectHashes('app_1', 's'),
      ...new KeyRing(k1).subjectHashes('app_1', 's'),
    ]);
    expect(both.subjectHashes('app_2', 's')[0]).not.toEqual(both.subjectHashes('app_1', 's')[0]);
  });

  it.each(['', 'k1', 'k1:short', ':AAAA', `k1:${Buffer.alloc(31).toString('base64')}`])('refuses %p as a ring', (text) => {
    expect(() => new KeyRing(text)).toThrow();
  });
});
