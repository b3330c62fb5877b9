import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Asked, type Said, scriptedHttp, testContext } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { fetchStravaRecords, stravaRetryAt } from './fetch-records.js';

type Json = Record<string, unknown>;
const fixture = (name: string): Json => JSON.parse(readFileSync(new URL(`./fixtures/strava-api-${name}.json`, import.meta.url), 'utf8'));
const now = Date.parse('2026-09-16T10:07:30Z');
const activity = fixture('activity');
const days = { kind: 'days', from: '2026-09-14', to: '2026-09-16' } as const;
const object = { kind: 'object', id: '17654321987' } as const;
const root = 'https://api.test/api/v3/';
const error = (resource: string, field: string, code: string) => ({ message: 'x', errors: [{ resource, field, code }] });

/** A Strava that knows these paths; lists are given by page. */
function knowing(documents: Record<string, unknown>) {
  const script = scriptedHttp(({ url }: Asked): Said => {
    const to = new URL(url);
    const path = to.pathname.slice('/api/v3/'.length);
    const page = to.searchParams.get('page');
    const name = page === null ? path : `${path} ${page}`;
    if (name in documents) return { body: documents[name] };
    return page === null ? { status: 404 } : { body: [] };
  });
  return { ...script, context: testContext(script.http, now) };
}

describe('reading Strava', () => {
  it('reads an activity by its id, with the samples of its heart rate', async () => {
    const { asked, context } = knowing({
      'activities/17654321987': activity,
      'activities/17654321987/streams': fixture('streams-heartrate'),
    });
    expect(await fetchStravaRecords('activity', object, context)).toMatchObject({
      is: 'records',
      complete: true,
      records: [
        { kind: 'workout', providerRecordId: '17654321987' },
        { kind: 'series', metric: 'heart_rate', workoutId: '17654321987', samples: { offsetsS: [0, 1, 5], values: [96, 97, 101] } },
      ],
    });
    expect(asked.map(({ url }) => url)).toEqual([
      `${root}activities/17654321987`,
      `${root}activities/17654321987/streams?keys=time,heartrate&key_by_type=true`,
    ]);
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer secret-token' });
  });

  it('C044 does not ask for samples that are not there, and does without those that are gone', async () => {
    const silent = knowing({ 'activities/1': { ...activity, id: 1, has_heartrate: false } });
    expect(await fetchStravaRecords('activity', { kind: 'object', id: '1' }, silent.context)).toMatchObject({
      records: [{ kind: 'workout' }],
    });
    expect(silent.asked).toHaveLength(1);
    const without = knowing({ 'activities/17654321987': activity });
    expect(await fetchStravaRecords('activity', object, without.context)).toMatchObject({ records: [{ kind: 'workout' }] });
  });

  it('C145: asks for an id and not for its neighbour, and keeps one of 64 bits', async () => {
    const huge = '9223372036854775807';
    const body = JSON.stringify({ ...activity, has_heartrate: false }).replace('17654321987,', `${huge},`);
    const { http } = scriptedHttp(() => ({ body }));
    expect(await fetchStravaRecords('activity', { kind: 'object', id: huge }, testContext(http, now))).toMatchObject({
      records: [{ providerRecordId: huge }],
    });
  });

  it('reads each activity of a span by its id, cut by the local day, until a page is empty', async () => {
    const short = (id: number, local: string) => ({ id, start_date_local: local });
    const { asked, context } = knowing({
      'athlete/activities 1': [short(1, '2026-09-16T00:00:01Z'), short(2, '2026-09-15T23:59:59Z')],
      'athlete/activities 2': [short(3, '2026-09-14T00:00:01Z'), short(4, '2026-09-13T23:59:59Z'), short(5, '2026-09-15T10:00:00Z')],
      'activities/2': { ...activity, id: 2, has_heartrate: false },
      'activities/3': { ...activity, id: 3, has_heartrate: false },
    });
    const outcome = await fetchStravaRecords('activity', days, context);
    expect(outcome).toMatchObject({ is: 'records', complete: true });
    expect(outcome.is === 'records' ? outcome.records.map((record) => record.providerRecordId) : []).toEqual(['2', '3']);
    const { searchParams } = new URL(asked[0]?.url ?? '');
    expect(Object.fromEntries(searchParams)).toEqual({
      after: String(Date.parse('2026-09-13T00:00:00Z') / 1000),
      before: String(Date.parse('2026-09-17T00:00:00Z') / 1000),
      page: '1',
      per_page: '200',
    });
    expect(asked.map(({ url }) => new URL(url).pathname.split('/').at(-1))).toEqual([
      'activities',
      'activities',
      'activities',
      '2',
      '3',
      '5',
    ]);
  });

  it('reads each activity by itself: one of another shape is a fault, and the others count', async () => {
    const listed = (id: unknown) => ({ id, start_date_local: '2026-09-14T18:10:00Z' });
    const { http } = scriptedHttp(({ url }: Asked): Said => {
      const path = new URL(url).pathname.split('/').at(-1);
      if (path === 'activities') return { body: url.includes('page=1&') ? [listed(1), listed('private'), listed(3), listed(4)] : [] };
      const plain = { ...activity, id: Number(path), has_heartrate: path === '4' };
      if (path === 'streams') return { body: { time: { data: [0] }, heartrate: { data: ['private'] } } };
      return { body: path === '3' ? { ...plain, moving_time: -1 } : plain };
    });
    const outcome = await fetchStravaRecords('activity', days, testContext(http, now));
    expect(outcome).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ providerRecordId: '1' }, { providerRecordId: '4' }],
      faults: ['[1].id is no whole number', '[2].moving_time is negative', 'heartrate.data[0] is no number'],
    });
    const [record] = outcome.is === 'records' ? outcome.records : [];
    expect(record?.kind === 'workout' && record.inputHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('C042 asks for the same span of the clock whenever it asks', async () => {
    const asked = [now, now + 3_000].map(async (at) => {
      const script = scriptedHttp({ body: [] });
      await fetchStravaRecords('activity', days, testContext(script.http, at));
      return script.asked.map(({ url }) => url);
    });
    expect(await asked[0]).toEqual(await asked[1]);
  });

  it('stops at a bound of pages, and says that it is not all', async () => {
    const { asked, http } = scriptedHttp(() => ({ body: [{ id: 1, start_date_local: '2020-01-01T00:00:00Z' }] }));
    expect(await fetchStravaRecords('activity', days, testContext(http, now))).toEqual({ is: 'records', complete: false, records: [] });
    expect(asked).toHaveLength(15);
  });

  it('reads the weight of the athlete', async () => {
    const { context } = knowing({ athlete: fixture('athlete') });
    expect(await fetchStravaRecords('athlete', days, context)).toMatchObject({ records: [{ metric: 'body_weight', value: 72.5 }] });
  });

  it.each([
    [{ status: 404 }, { is: 'gone' }],
    [{ status: 403, body: error('Activity', 'id', 'forbidden') }, { is: 'gone' }],
    [
      { status: 403, body: error('Application', 'Status', 'Inactive') },
      { is: 'forbidden', scope: 'activity:read' },
    ],
    [{ status: 403 }, { is: 'forbidden', scope: 'activity:read' }],
    [{ status: 401, body: error('Athlete', 'access_token', 'invalid') }, { is: 'unauthorised' }],
    [
      { status: 401, body: error('AccessToken', 'activity:read_permission', 'missing') },
      { is: 'forbidden', scope: 'activity:read' },
    ],
    [
      { status: 429, headers: { 'retry-after': '5' } },
      { is: 'rate-limited', retryAt: now + 5_000 },
    ],
    [{ status: 503 }, { is: 'transient', code: 'http_503' }],
    [new ProviderUnreachable('timeout'), { is: 'transient', code: 'timeout' }],
    [{ body: '{"private":' }, { is: 'transient', code: 'body_no_json' }],
    [{ body: [] }, { is: 'drift', detail: 'body is no object' }],
    [{ body: { ...activity, start_date_local: 'private' } }, { is: 'drift', detail: 'start_date_local begins with no civil day' }],
  ] as const)('makes an outcome of %j', async (said, outcome) => {
    expect(await fetchStravaRecords('activity', object, testContext(scriptedHttp(said).http, now))).toEqual(outcome);
  });

  it.each([
    [{ status: 404 }, { is: 'drift', detail: 'body is no list' }],
    [{ body: {} }, { is: 'drift', detail: 'body is no list' }],
    [{ body: 'null' }, { is: 'drift', detail: 'body is no list' }],
    [{ body: '"oops"' }, { is: 'drift', detail: 'body is no list' }],
  ] as const)('C037 makes an outcome of the list %j', async (said, outcome) => {
    expect(await fetchStravaRecords('activity', days, testContext(scriptedHttp(said).http, now))).toEqual(outcome);
  });

  it('knows its collections and its windows', async () => {
    const { context } = knowing({});
    expect((await fetchStravaRecords('sleep', days, context)).is).toBe('drift');
    expect((await fetchStravaRecords('activity', { kind: 'whole' }, context)).is).toBe('drift');
  });
});

describe("Strava's quotas", () => {
  const at = (headers: Record<string, string>, time = now) => new Date(stravaRetryAt(headers, time)).toISOString();
  const quarter = { 'x-ratelimit-limit': '200,2000', 'x-ratelimit-usage': '201,734' };

  it('begin anew at the next quarter of an hour by the clock', () => {
    expect(at(quarter)).toBe('2026-09-16T10:15:00.000Z');
    expect(at(quarter, Date.parse('2026-09-16T10:15:00Z'))).toBe('2026-09-16T10:30:00.000Z');
    expect(
      at({ ...quarter, 'x-ratelimit-usage': '150,734', 'x-readratelimit-limit': '100,1000', 'x-readratelimit-usage': '100,612' }),
    ).toBe('2026-09-16T10:15:00.000Z');
    expect(at({})).toBe('2026-09-16T10:15:00.000Z');
    expect(at({ 'x-ratelimit-limit': 'private', 'x-ratelimit-usage': '' })).toBe('2026-09-16T10:15:00.000Z');
  });

  it('of a day begin anew at midnight UTC; we look again after an hour at most', () => {
    const day = { 'x-readratelimit-limit': '100,1000', 'x-readratelimit-usage': '12,1000' };
    expect(at(day)).toBe('2026-09-16T11:07:30.000Z');
    expect(at(day, Date.parse('2026-09-16T23:40:00Z'))).toBe('2026-09-17T00:00:00.000Z');
  });
});
