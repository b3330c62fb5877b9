import { readFileSync } from 'node:fs';
import { nowhere } from '../../testing/scripted-http.js';
import { describe, expect, it } from '@jest/globals';
import { type ProviderReply, ProviderUnreachable } from '../provider.js';
import { fetchPolarRecords, polarRetryAt } from './fetch-records.js';

const now = Date.parse('2027-01-01T00:00:00Z');
const origins = { api: 'https://api.test', authorize: 'https://a.test', token: 'https://t.test' };
const fixture = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/polar-api-${name}.json`, import.meta.url), 'utf8'));
const oneDay = { kind: 'days', from: '2026-09-14', to: '2026-09-15' } as const;
const week = { kind: 'days', from: '2026-09-10', to: '2026-09-17' } as const;

type Said = { status?: number; headers?: Record<string, string>; body?: unknown };

function saying(...replies: (Said | Error)[]) {
  const asked: string[] = [];
  const http = {
    async send({ method, url, headers }: { method: string; url: string; headers?: object }): Promise<ProviderReply> {
      expect([method, headers]).toMatchObject(['GET', { authorization: 'Bearer secret-token' }]);
      asked.push(url.replace('https://api.test/v3/', ''));
      const next = replies.shift();
      if (next === undefined) throw new Error('asked too often');
      if (next instanceof Error) throw next;
      const body = typeof next.body === 'string' ? next.body : JSON.stringify(next.body ?? {});
      return { status: next.status ?? 200, headers: next.headers ?? {}, body: Buffer.from(body) };
    },
  };
  return { asked, context: { http, origins, accessToken: 'secret-token', now, whereabouts: nowhere } };
}
const daysOf = (outcome: Awaited<ReturnType<typeof fetchPolarRecords>>) =>
  outcome.is === 'records' ? outcome.records.map((record) => record.kind !== 'deleted' && record.localDate) : [outcome.is];

describe('reading Polar', () => {
  it('one exercise by its id, with samples and zones', async () => {
    const { asked, context } = saying({ body: fixture('exercise') });
    expect(await fetchPolarRecords('exercises', { kind: 'object', id: 'a/b?c' }, context)).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ kind: 'workout' }, { kind: 'series' }],
    });
    expect(asked).toEqual(['exercises/a%2Fb%3Fc?samples=true&zones=true']);
  });

  it('an exercise that is not there is not gone: Polar shows them for 30 days only', async () => {
    expect(await fetchPolarRecords('exercises', { kind: 'object', id: 'x' }, saying({ status: 404 }).context)).toEqual({ is: 'not-ready' });
  });

  it('exercises of days from the one list, cut by the day of their start', async () => {
    const exercise = (id: string, start_time: string) => ({
      id,
      start_time,
      start_time_utc_offset: 120,
      duration: 'PT1M',
      sport: 'RUNNING',
    });
    const { asked, context } = saying({
      body: [exercise('1', '2026-09-13T23:59:59'), exercise('2', '2026-09-14T00:00:00'), exercise('3', '2026-09-15T00:00:00')],
    });
    expect(await fetchPolarRecords('exercises', oneDay, context)).toMatchObject({ records: [{ providerRecordId: '2' }] });
    expect(asked).toEqual(['exercises?samples=true&zones=true']);
  });

  it.each([
    ['activities', 'daily-activity', 7],
    ['sleep', 'sleep', 3],
  ])('one day of %s by its own address', async (collection, name, count) => {
    const { asked, context } = saying({ body: fixture(name) });
    expect(await fetchPolarRecords(collection, oneDay, context)).toMatchObject({ is: 'records', records: { length: count } });
    expect(asked).toEqual([`users/${collection}/2026-09-14`]);
  });

  it('heart rates by the offset of the night of the same day', async () => {
    const { asked, context } = saying({ body: fixture('continuous-heart-rate') }, { body: { ...fixture('sleep'), date: '2026-09-14' } });
    expect(await fetchPolarRecords('continuous-heart-rate', oneDay, context)).toMatchObject({ records: [{ utcOffsetS: 7200 }] });
    expect(asked).toEqual(['users/continuous-heart-rate/2026-09-14', 'users/sleep/2026-09-14']);
    const without = saying({ body: fixture('continuous-heart-rate') }, { status: 404 });
    expect(await fetchPolarRecords('continuous-heart-rate', oneDay, without.context)).toMatchObject({ records: [{ provisional: true }] });
  });

  it.each([
    ['sleep', 'nights', 'users/sleep'],
    ['nightly-recharge', 'recharges', 'users/nightly-recharge'],
  ])('many days of %s from its list, cut by their label', async (collection, list, path) => {
    const at = (date: string) => ({
      date,
      sleep_start_time: '2026-09-13T23:10:30+02:00',
      sleep_end_time: '2026-09-14T06:41:30+02:00',
      sleep_score: 80,
      ans_charge: 1,
    });
    const { asked, context } = saying({ body: { [list]: [at('2026-09-09'), at('2026-09-10'), at('2026-09-16'), at('2026-09-17')] } });
    expect(new Set(daysOf(await fetchPolarRecords(collection, week, context)))).toEqual(new Set(['2026-09-10', '2026-09-16']));
    expect(asked).toEqual([path]);
  });

  it('long spans of activity in pieces of 28 days, both ends inside', async () => {
    const { asked, context } = saying(
      { body: [] },
      { body: { activities: [{ start_time: '2026-10-01T00:00:00', steps: 1 }] } },
      { body: [] },
    );
    const outcome = await fetchPolarRecords('activities', { kind: 'days', from: '2026-09-01', to: '2026-10-28' }, context);
    expect(daysOf(outcome)).toEqual(['2026-10-01']);
    expect(asked).toEqual([
      'users/activities?from=2026-09-01&to=2026-09-28',
      'users/activities?from=2026-09-29&to=2026-10-26',
      'users/activities?from=2026-10-27&to=2026-10-27',
    ]);
  });

  it('the skin and tests of the blood by ranges, also for one day, cut by the day where the person was', async () => {
    const skin = saying({
      body: [{ sleep_date: '2026-09-14', sleep_time_skin_temperature_celsius: 35.8, deviation_from_baseline_celsius: 0.3 }],
    });
    expect(await fetchPolarRecords('skin-temperature', oneDay, skin.context)).toMatchObject({ is: 'records', records: { length: 2 } });
    expect(skin.asked).toEqual(['users/biosensing/skintemperature?from=2026-09-14&to=2026-09-14']);
    const test = (test_time: number) => ({ test_time, time_zone_offset: 120, test_status: 'SPO2_TEST_PASSED', blood_oxygen_percent: 95 });
    const midnight = Date.parse('2026-09-14T00:00:00+02:00') / 1000;
    const blood = saying({ body: [test(midnight - 1), test(midnight), test(midnight + 86_399), test(midnight + 86_400)] });
    expect(daysOf(await fetchPolarRecords('spo2', oneDay, blood.context))).toEqual(['2026-09-14', '2026-09-14']);
    expect(blood.asked).toEqual(['users/biosensing/spo2?from=2026-09-13&to=2026-09-15']);
  });

  it('each document by itself: one of another shape is a fault, and the others count', async () => {
    const good = { ...fixture('daily-activity'), samples: undefined };
    const list = [good, 'private', { ...good, start_time: 'private' }, { ...good, start_time: '2026-09-15T00:00:00', steps: 'private' }];
    const { context } = saying({ body: { activities: list } });
    const outcome = await fetchPolarRecords('activities', week, context);
    expect(outcome).toMatchObject({
      is: 'records',
      complete: true,
      records: { length: 7 },
      faults: ['activities[1] is no object', 'activities[2].start_time is no civil day', 'activities[3].steps is no number'],
    });
    expect(outcome.is === 'records' && outcome.records[0]?.kind === 'daily' && outcome.records[0].inputHash).toMatch(/^[0-9a-f]{64}$/);
    const exercise = fixture('exercise');
    const mixed = saying({ body: [{ ...exercise, duration: 'long' }, exercise] });
    expect(await fetchPolarRecords('exercises', oneDay, mixed.context)).toMatchObject({
      records: [{ kind: 'workout' }, { kind: 'series' }],
      faults: ['[0].duration is no duration'],
    });
  });

  it('heart rates count though the night that would tell their offset cannot be read', async () => {
    const { context } = saying({ body: fixture('continuous-heart-rate') }, { body: { date: '2026-09-14', sleep_end_time: 'private' } });
    const outcome = await fetchPolarRecords('continuous-heart-rate', oneDay, context);
    expect(outcome).toMatchObject({ is: 'records', records: [{ provisional: true, utcOffsetS: undefined }] });
  });

  it('C042 asks for the same days whenever it asks', async () => {
    const first = saying({ body: [] });
    const later = saying({ body: [] });
    await fetchPolarRecords('activities', week, first.context);
    await fetchPolarRecords('activities', week, { ...later.context, now: now + 3_000 });
    expect(later.asked).toEqual(first.asked);
  });

  it.each([
    ['"oops"', 'body is no object'],
    ['null', 'body is no object'],
    [{ activities: {} }, 'activities is no list'],
  ])('C037 what is no list is drift and never nothing: %j', async (body, detail) => {
    expect(await fetchPolarRecords('activities', week, saying({ body }).context)).toEqual({ is: 'drift', detail });
  });

  it('physical information as a whole, whatever the window', async () => {
    for (const window of [{ kind: 'whole' } as const, week]) {
      const { asked, context } = saying({ body: fixture('physical-info') });
      expect(await fetchPolarRecords('physical-info', window, context)).toMatchObject({ records: { length: 3 } });
      expect(asked).toEqual(['users/physical-info']);
    }
  });

  it('nothing is nothing, and never a deletion', async () => {
    for (const status of [204, 404]) {
      expect(await fetchPolarRecords('activities', oneDay, saying({ status }).context)).toEqual({
        is: 'records',
        complete: true,
        records: [],
      });
      expect(await fetchPolarRecords('physical-info', week, saying({ status }).context)).toEqual({
        is: 'records',
        complete: true,
        records: [],
      });
    }
    expect(await fetchPolarRecords('sleep', week, saying({ status: 204 }).context)).toEqual({ is: 'records', complete: true, records: [] });
  });

  it('C035 a list whose address is gone, or that is none, is drift and never empty', async () => {
    for (const collection of ['sleep', 'activities', 'exercises', 'nightly-recharge']) {
      expect(await fetchPolarRecords(collection, week, saying({ status: 404 }).context)).toEqual({ is: 'drift', detail: 'status 404' });
    }
    expect(await fetchPolarRecords('sleep', week, saying({ body: {} }).context)).toEqual({ is: 'drift', detail: 'nights is no list' });
  });

  it('what only some devices fill is empty where its address is missing or closed, and ends nobody’s permission', async () => {
    for (const status of [204, 403, 404]) {
      const empty = { is: 'records', complete: true, records: [] };
      expect(await fetchPolarRecords('spo2', week, saying({ status }).context)).toEqual(empty);
      expect(await fetchPolarRecords('skin-temperature', week, saying({ status }).context)).toEqual(empty);
    }
    expect(await fetchPolarRecords('spo2', week, saying({ status: 401 }).context)).toEqual({ is: 'unauthorised' });
  });

  it('offsets of many days from the one list of nights', async () => {
    const day = (date: string) => ({ date, heart_rate_samples: [{ heart_rate: 60, sample_time: '12:00:00' }] });
    const night = (date: string, offset: string) => ({ date, sleep_end_time: `${date}T06:00:00${offset}` });
    const { asked, context } = saying(
      { body: { heart_rates: [day('2026-09-14'), day('2026-09-15'), day('2026-09-16')] } },
      { body: { nights: [night('2026-09-14', '+02:00'), 'private', night('2026-09-16', '+09:00')] } },
    );
    expect(await fetchPolarRecords('continuous-heart-rate', week, context)).toMatchObject({
      records: [
        { utcOffsetS: 7_200, samples: { from: '2026-09-14T10:00:00.000Z' } },
        { utcOffsetS: undefined, provisional: true },
        { utcOffsetS: 32_400, samples: { from: '2026-09-16T03:00:00.000Z' } },
      ],
    });
    expect(asked).toEqual(['users/continuous-heart-rate?from=2026-09-10&to=2026-09-16', 'users/sleep']);
  });

  it('says of a window that is longer than it follows that it did not see all of it', async () => {
    const { asked, context } = saying(...Array.from({ length: 15 }, () => ({ body: [] })));
    const years = { kind: 'days', from: '2024-01-01', to: '2026-01-01' } as const;
    expect(await fetchPolarRecords('activities', years, context)).toMatchObject({ is: 'records', complete: false });
    expect(asked).toHaveLength(15);
  });

  it.each([
    [{ status: 401 }, { is: 'unauthorised' }],
    [{ status: 403 }, { is: 'forbidden', scope: 'accesslink.read_all' }],
    [{ status: 503 }, { is: 'transient', code: 'http_503' }],
    [{ status: 400 }, { is: 'drift', detail: 'status 400' }],
    [{ body: '{' }, { is: 'transient', code: 'body_no_json' }],
    [{ body: { start_time: 'private' } }, { is: 'drift', detail: 'start_time is no civil day' }],
    [new ProviderUnreachable('timeout'), { is: 'transient', code: 'timeout' }],
    [
      { status: 429, headers: { 'ratelimit-reset': '200, 4000' } },
      { is: 'rate-limited', retryAt: now + 200_000 },
    ],
  ])('every other end is an outcome (%#)', async (said, outcome) => {
    expect(await fetchPolarRecords('activities', oneDay, saying(said).context)).toEqual(outcome);
  });

  it('asks nothing for what it does not know', async () => {
    expect(await fetchPolarRecords('elixir', oneDay, saying().context)).toEqual({ is: 'drift', detail: 'collection is not known' });
    expect(await fetchPolarRecords('sleep', { kind: 'whole' }, saying().context)).toEqual({
      is: 'drift',
      detail: 'windows of whole are not known',
    });
  });
});

describe('the pause that Polar asks for', () => {
  const pause = (headers: Record<string, string>) => (polarRetryAt(headers, now) - now) / 1000;

  it('is that of the limit which is used up, of two', () => {
    const limits = { 'ratelimit-limit': '520, 5100', 'ratelimit-reset': '200, 3000' };
    expect(pause({ ...limits, 'ratelimit-usage': '521, 900' })).toBe(200);
    expect(pause({ ...limits, 'ratelimit-usage': '100, 5100' })).toBe(3000);
    expect(pause({ ...limits, 'ratelimit-usage': '520, 5100' })).toBe(3000);
    expect(pause(limits)).toBe(200);
  });

  it('is bounded, and believed in the usual words where there are no others', () => {
    expect(pause({ 'ratelimit-reset': '86400' })).toBe(3600);
    expect(pause({ 'ratelimit-reset': 'soon' })).toBe(60);
    expect(pause({ 'retry-after': '7' })).toBe(7);
    expect(pause({})).toBe(60);
  });
});
