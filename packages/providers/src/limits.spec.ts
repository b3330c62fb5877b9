import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { garminLimits } from './garmin/limits.js';
import { googleLimits } from './google/limits.js';
import { ouraLimits } from './oura/limits.js';
import { polarLimits } from './polar/limits.js';
import type { ProviderReply } from './provider.js';
import { providers } from './registry.js';
import { retryAtOf } from './reply.js';
import { stravaLimits } from './strava/limits.js';
import { whoopLimits } from './whoop/limits.js';
import { withingsLimits } from './withings/limits.js';

/** Seven minutes and a half past the hour. */
const NOW = Date.parse('2026-11-29T10:07:30Z');
const DAY_MS = 86_400_000;

function reply(status: number, headers: Record<string, string> = {}, body: unknown = {}): ProviderReply {
  return { status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
}

describe('what Strava says', () => {
  const headers = {
    'x-ratelimit-limit': '200,2000',
    'x-ratelimit-usage': '21,734',
    'x-readratelimit-limit': '100,1000',
    'x-readratelimit-usage': '11,612',
  };

  it('is four pairs, of a quarter of an hour and of a day, for everything and for reads', () => {
    const left = Object.fromEntries(stravaLimits.quotasOf(reply(200, headers), NOW).map(({ bucket, quota }) => [bucket, quota]));
    expect(left).toEqual({
      read_quarter_hour: { limit: 100, remaining: 89, windowMs: 900_000, resetsAt: undefined },
      read_day: { limit: 1_000, remaining: 388, windowMs: DAY_MS, resetsAt: undefined },
      quarter_hour: { limit: 200, remaining: 179, windowMs: 900_000, resetsAt: undefined },
      day: { limit: 2_000, remaining: 1_266, windowMs: DAY_MS, resetsAt: undefined },
    });
  });

  it('with 429 names the one that ran out, which begins anew at the quarter or at midnight UTC', () => {
    const quarter = reply(429, { ...headers, 'x-readratelimit-usage': '101,612' });
    expect(stravaLimits.refusalOf(quarter, NOW)).toEqual({
      scope: 'app',
      bucket: 'read_quarter_hour',
      until: Date.parse('2026-11-29T10:15:00Z'),
    });
    const day = reply(429, { ...headers, 'x-ratelimit-usage': '200,2003' });
    expect(stravaLimits.refusalOf(day, NOW)).toEqual({ scope: 'app', bucket: 'day', until: Date.parse('2026-11-30T00:00:00Z') });
    expect(stravaLimits.refusalOf(reply(429), NOW)).toMatchObject({ bucket: 'read_quarter_hour', until: NOW + 450_000 });
    expect(stravaLimits.refusalOf(reply(200, headers), NOW)).toBeUndefined();
  });
});

describe('what WHOOP says', () => {
  const said = (remaining: string, reset: string, first = '100') => ({
    'x-ratelimit-limit': `${first}, 100;window=60, 10000;window=86400`,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  });

  it('is every policy, and what is left of the nearest', () => {
    expect(whoopLimits.quotasOf(reply(200, said('98', '3')), NOW)).toEqual([
      { scope: 'app', bucket: 'minute', quota: { limit: 100, remaining: 98, resetsAt: NOW + 3_000, windowMs: 60_000 } },
      { scope: 'app', bucket: 'day', quota: { limit: 10_000, remaining: undefined, resetsAt: undefined, windowMs: DAY_MS } },
    ]);
    expect(whoopLimits.quotasOf(reply(200, said('12', '40000', '10000')), NOW)[1]).toEqual({
      scope: 'app',
      bucket: 'day',
      quota: { limit: 10_000, remaining: 12, resetsAt: NOW + 40_000_000, windowMs: DAY_MS },
    });
  });

  it('with 429 names the one that ran out', () => {
    expect(whoopLimits.refusalOf(reply(429, said('0', '41')), NOW)).toEqual({ scope: 'app', bucket: 'minute', until: NOW + 41_000 });
    expect(whoopLimits.refusalOf(reply(429, said('0', '4100', '10000')), NOW)).toMatchObject({ bucket: 'day', until: NOW + 4_100_000 });
    expect(whoopLimits.refusalOf(reply(429), NOW)).toEqual({ scope: 'app', bucket: 'minute', until: undefined });
  });

  it('about a reset after the end of its window is passed over', () => {
    expect(whoopLimits.quotasOf(reply(200, said('98', '80000')), NOW)[0]?.quota.resetsAt).toBeUndefined();
  });
});

describe('what Oura says', () => {
  const headers = {
    'retry-after': '17',
    'x-ratelimit-limit': '5000',
    'x-ratelimit-window': '300',
    'x-ratelimit-reset': String(NOW / 1000 + 18),
    'x-ratelimit-tier': 'app',
  };

  it('comes with 429 alone, for the app or for one token', () => {
    expect(ouraLimits.quotasOf(reply(200), NOW)).toEqual([]);
    expect(ouraLimits.quotasOf(reply(429, headers), NOW)).toEqual([
      {
        scope: 'app',
        bucket: 'five_minutes',
        quota: { limit: 5_000, remaining: undefined, resetsAt: NOW + 18_000, windowMs: 300_000 },
      },
    ]);
    expect(ouraLimits.refusalOf(reply(429, headers), NOW)).toEqual({ scope: 'app', bucket: 'five_minutes', until: NOW + 18_000 });
    const token = reply(429, { ...headers, 'x-ratelimit-tier': 'token' });
    expect([ouraLimits.quotasOf(token, NOW)[0]?.scope, ouraLimits.refusalOf(token, NOW)?.scope]).toEqual(['connection', 'connection']);
  });
});

describe('what Polar says', () => {
  const headers = { 'ratelimit-limit': '520, 5100', 'ratelimit-usage': '520, 730', 'ratelimit-reset': '200, 40000' };

  it('is a pair, of fifteen minutes and of a day, for as many people as the client has', () => {
    expect(polarLimits.quotasOf(reply(200, headers), NOW)).toEqual([
      { scope: 'app', bucket: 'quarter_hour', quota: { limit: 520, remaining: 0, resetsAt: NOW + 200_000, windowMs: 900_000 } },
      { scope: 'app', bucket: 'day', quota: { limit: 5_100, remaining: 4_370, resetsAt: NOW + 40_000_000, windowMs: DAY_MS } },
    ]);
  });

  it('with 429 names the one that ran out', () => {
    expect(polarLimits.refusalOf(reply(429, headers), NOW)).toEqual({ scope: 'app', bucket: 'quarter_hour', until: NOW + 200_000 });
    const day = { ...headers, 'ratelimit-usage': '3, 5100' };
    expect(polarLimits.refusalOf(reply(429, day), NOW)).toEqual({ scope: 'app', bucket: 'day', until: NOW + 40_000_000 });
  });
});

describe('what Withings says', () => {
  it('C047 200 OK means nothing at Withings: 601 in the body is too many calls, and nothing else is', () => {
    const refusal = { scope: 'app', bucket: 'minute', until: undefined };
    expect(withingsLimits.refusalOf(reply(200, {}, { status: 601, body: {}, error: 'Too Many Requests' }), NOW)).toEqual(refusal);
    expect(withingsLimits.refusalOf(reply(429, { 'retry-after': '9' }), NOW)).toEqual({ ...refusal, until: NOW + 9_000 });
    for (const other of [
      { status: 401, error: 'invalid_token' },
      { status: 0, body: {} },
      { status: 0, body: { note: 601 } },
      'status 601',
      [],
    ])
      expect(withingsLimits.refusalOf(reply(200, {}, other), NOW)).toBeUndefined();
    expect(withingsLimits.refusalOf(reply(502, {}, '<html>601</html>'), NOW)).toBeUndefined();
  });
});

describe('what Google says', () => {
  it('is nothing but 429, of the person unless it names the project alone', () => {
    const said = (message: string) => reply(429, {}, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message } });
    expect(googleLimits.refusalOf(said('Quota exceeded.'), NOW)).toEqual({ scope: 'connection', bucket: 'minute', until: undefined });
    const ofPerson = "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per user'";
    expect(googleLimits.refusalOf(said(ofPerson), NOW)).toMatchObject({ scope: 'connection' });
    expect(googleLimits.refusalOf(said('ReadRequestsPerMinutePerProject'), NOW)).toMatchObject({ scope: 'app' });
    expect(googleLimits.quotasOf(reply(200), NOW)).toEqual([]);
  });
});

describe('what Garmin says', () => {
  it('is nothing but 429 and when to come back', () => {
    expect(garminLimits.refusalOf(reply(429, { 'retry-after': '90' }), NOW)).toEqual({
      scope: 'app',
      bucket: 'reads',
      until: NOW + 90_000,
    });
    expect(garminLimits.refusalOf(reply(202), NOW)).toBeUndefined();
  });
});

describe('C045 the standard header lies', () => {
  const at = NOW + 1_800_000;
  it.each([
    ['the reset alone', { 'x-ratelimit-reset': '1800' }, at],
    ['a short Retry-After beside a long reset', { 'retry-after': '5', 'x-ratelimit-reset': '1800' }, at],
    ['a Retry-After as a date', { 'retry-after': 'Sun, 29 Nov 2026 10:37:30 GMT', 'x-ratelimit-reset': '3' }, at],
    ['a date that is past', { 'retry-after': 'Sun, 29 Nov 2026 10:00:00 GMT', 'x-ratelimit-reset': '1800' }, at],
    ['garbage', { 'retry-after': 'soon 1', 'x-ratelimit-reset': 'NaN' }, undefined],
    ['a year', { 'retry-after': '31536000' }, undefined],
    ['nothing', {}, undefined],
  ])('%s: the larger usable value, and never NaN', (_what, headers: Record<string, string>, until) => {
    expect(ouraLimits.refusalOf(reply(429, headers), NOW)?.until).toBe(until);
    expect(whoopLimits.refusalOf(reply(429, headers), NOW)?.until).toBe(until);
    // What the adapter itself says of the read, where nobody keeps a budget.
    expect(retryAtOf(headers, NOW)).toBe(until ?? NOW + 60_000);
  });
});

describe('the limits of every provider', () => {
  it('are named once, positive, and leave something to reads that wait', () => {
    for (const { id, limits } of providers) {
      for (const facts of [limits.app, limits.connection]) {
        expect([id, new Set(facts.map(({ name }) => name)).size]).toEqual([id, facts.length]);
        for (const { capacity, refill, reserved } of facts) {
          expect(capacity * (1 - reserved - 0.1)).toBeGreaterThanOrEqual(1);
          expect(refill.is === 'window' ? refill.lengthMs : refill.perS).toBeGreaterThan(0);
        }
      }
      expect([id, limits.app.length + limits.connection.length > 0]).toEqual([id, true]);
    }
  });

  it('are read from any answer without a throw, and name only buckets that there are', () => {
    const names = [
      ...['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-usage', 'x-ratelimit-window'],
      ...['x-ratelimit-tier', 'x-readratelimit-limit', 'x-readratelimit-usage', 'ratelimit-limit', 'ratelimit-usage', 'ratelimit-reset'],
    ];
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('-1', '1e9', '', ',', ',,,', '0', '100, 0;window=0', '5;window=x', '9'.repeat(30), '1,2,3', 'Infinity', '\u0661'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(200, 429, 500),
        fc.dictionary(fc.constantFrom(...names), value),
        fc.oneof(fc.string(), fc.json()),
        (status, headers, body) => {
          for (const { limits } of providers) {
            const quotas = limits.quotasOf(reply(status, headers, body), NOW);
            const refusal = limits.refusalOf(reply(status, headers, body), NOW);
            for (const { scope, bucket } of [...quotas, ...(refusal === undefined ? [] : [refusal])])
              expect(limits[scope].map(({ name }) => name)).toContain(bucket);
            if (status === 429) expect(refusal).toBeDefined();
            if (refusal?.until !== undefined) expect(refusal.until).toBeGreaterThan(NOW);
          }
        },
      ),
    );
  });
});
