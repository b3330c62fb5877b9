import { describe, expect, it } from '@jest/globals';
import { hashRequest, idsIn, isIdempotencyKey, isWorthKeeping, passedOnHeaders } from './idempotency-rules.js';

const id = (prefix: string, last: string) => `${prefix}_01KBADX6V0000000000000000${last}`;

describe('the rules of Idempotency-Key', () => {
  it.each([
    ['a', true],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', true],
    ['x'.repeat(255), true],
    ['', false],
    ['x'.repeat(256), false],
    ['two words', false],
    ['ключ', false],
    ['a\u0000', false],
  ])('%p is a key: %p', (text, usable) => {
    expect(isIdempotencyKey(text)).toBe(usable);
  });

  it('requests differ by method, address and body, and no part runs into another', () => {
    const all = [
      hashRequest('POST', '/v1/users', { a: 1 }),
      hashRequest('POST', '/v1/users', { a: '1' }),
      hashRequest('POST', '/v1/users?x', { a: 1 }),
      hashRequest('POST', '/v1/user', 's{"a":1}'),
      hashRequest('POST', '/v1/users', undefined),
      hashRequest('POST', '/v1/users', null),
    ].map((hash) => hash.toString('hex'));
    expect(new Set(all).size).toBe(all.length);
  });

  it.each([
    [200, true],
    [201, true],
    [404, true],
    [422, true],
    [408, false],
    [425, false],
    [429, false],
    [500, false],
    [503, false],
  ])('an answer with status %p is kept: %p', (status, kept) => {
    expect(isWorthKeeping(status)).toBe(kept);
  });

  it('passes on what belongs to the answer, and nothing that belongs to one reply', () => {
    expect(
      passedOnHeaders({
        'content-type': 'application/json',
        etag: '"1"',
        'x-request-id': 'req_1',
        'ratelimit-remaining': 3,
        'content-length': 12,
      }),
    ).toEqual({ 'content-type': 'application/json', etag: '"1"' });
  });

  it('finds our ids wherever they stand, each once', () => {
    expect(idsIn(`/v1/users/${id('usr', '1')}/x {"id":"${id('con', '2')}","user":"${id('usr', '1')}","other":"usr_short"}`)).toEqual([
      id('con', '2'),
      id('usr', '1'),
    ]);
  });
});
