import { describe, expect, it } from '@jest/globals';
import { noAnswers, readReply, retryAfterMs } from './read-reply.js';

const now = Date.UTC(2026, 11, 1, 9, 14, 0);
const answered = (status: number, retryAfter?: string) => readReply({ is: 'answered', status, retryAfter }, now);

describe('reading a reply', () => {
  it.each([
    [200, 'delivered'],
    [201, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [300, 'redirected'],
    [301, 'redirected'],
    [304, 'redirected'],
    [307, 'redirected'],
    [308, 'redirected'],
    [400, 'http_error'],
    [401, 'http_error'],
    [404, 'http_error'],
    [410, 'gone'],
    [429, 'rate_limited'],
    [500, 'http_error'],
    [502, 'http_error'],
    [503, 'unavailable'],
    [504, 'http_error'],
  ] as const)('%i is %s', (status, outcome) => {
    expect(answered(status)).toEqual({ outcome, askedToWaitMs: undefined });
  });

  it('takes a pause from 429 and 503 only', () => {
    expect(answered(429, '60').askedToWaitMs).toBe(60_000);
    expect(answered(503, '60').askedToWaitMs).toBe(60_000);
    for (const status of [200, 301, 410, 500, 502]) expect(answered(status, '60').askedToWaitMs).toBeUndefined();
  });

  it.each(noAnswers)('without an answer, the outcome is why: %s', (why) => {
    expect(readReply({ is: 'unanswered', why }, now)).toEqual({ outcome: why, askedToWaitMs: undefined });
  });
});

describe('Retry-After', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['zero', '0', 0],
    ['seconds with blanks around', ' 7 ', 7_000],
    ['the date form of today', 'Tue, 01 Dec 2026 09:15:30 GMT', 90_000],
    ['the RFC 850 form', 'Tuesday, 01-Dec-26 09:15:30 GMT', 90_000],
    ['the asctime form', 'Tue Dec  1 09:15:30 2026', 90_000],
    ['a date gone by', 'Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['a two-digit year of the last century', 'Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ])('reads %s', (_name, header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  it.each([undefined, '', 'soon', '-5', '1.5', '5s', '2026-12-01T09:15:30Z', 'Tue, 01 Foo 2026 09:15:30 GMT'])(
    'does not read %p',
    (header) => {
      expect(retryAfterMs(header, now)).toBeUndefined();
    },
  );
});
