import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Asked, type Said, scriptedHttp, testContext } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { fetchWhoopRecords } from './fetch-records.js';

type Json = Record<string, unknown>;
const fixture = (name: string): Json => JSON.parse(readFileSync(new URL(`./fixtures/whoop-api-${name}.json`, import.meta.url), 'utf8'));
const now = Date.parse('2026-09-16T00:00:00Z');
const sleep = fixture('sleep-scored');
const recovery = fixture('recovery');
const sleepId = sleep['id'] as string;
const days = { kind: 'days', from: '2026-09-15', to: '2026-09-16' } as const;
const root = 'https://api.test/developer/v2/';

/** A WHOOP that knows these paths. */
function knowing(documents: Record<string, unknown>) {
  const script = scriptedHttp(({ url }: Asked): Said => {
    const path = decodeURIComponent(url.slice(root.length).replace(/\?.*/, ''));
    return path in documents ? { body: documents[path] } : { status: 404 };
  });
  return { ...script, context: testContext(script.http, now) };
}

const list = (...records: unknown[]) => ({ records, next_token: null });

describe('reading WHOOP', () => {
  it('reads a sleep or a workout by its id', async () => {
    const { asked, context } = knowing({
      [`activity/sleep/${sleepId}`]: sleep,
      'activity/sleep': fixture('sleep-collection'),
      'activity/workout/a/b?c': fixture('workout'),
    });
    expect(await fetchWhoopRecords('sleep', { kind: 'object', id: sleepId }, context)).toMatchObject({
      is: 'records',
      complete: true,
      records: [
        { kind: 'sleep', providerRecordId: sleepId },
        { metric: 'sleep_duration' },
        { metric: 'respiratory_rate_night' },
        { metric: 'vendor.whoop.sleep_performance' },
      ],
    });
    expect((await fetchWhoopRecords('workout', { kind: 'object', id: 'a/b?c' }, context)).is).toBe('records');
    expect(asked[2]?.url).toBe(`${root}activity/workout/a%2Fb%3Fc`);
    expect(asked.map(({ headers }) => headers?.['authorization'])).toEqual(Array(3).fill('Bearer secret-token'));
    expect(await fetchWhoopRecords('sleep', { kind: 'object', id: 'other' }, context)).toEqual({ is: 'gone' });
  });

  it('C126: finds a recovery by the id of its sleep, through the cycle of that sleep', async () => {
    const { asked, context } = knowing({
      [`activity/sleep/${sleepId}`]: sleep,
      'activity/sleep': fixture('sleep-collection'),
      'cycle/935101122/recovery': recovery,
    });
    const window = { kind: 'object', id: `recovery/${sleepId}` } as const;
    expect(await fetchWhoopRecords('recovery', window, context)).toMatchObject({
      is: 'records',
      records: [{ metric: 'resting_heart_rate', value: 52, localDate: '2026-09-15', providerRecordId: window.id }, {}, {}, {}, {}],
    });
    expect(asked.map(({ url }) => url.slice(root.length).replace(/\?.*/, ''))).toEqual([
      `activity/sleep/${sleepId}`,
      'cycle/935101122/recovery',
      'activity/sleep',
    ]);
  });

  it.each([
    ['its sleep is', {}],
    ['it is', { [`activity/sleep/${sleepId}`]: sleep }],
    [
      "the cycle's recovery is another sleep's and it is",
      {
        [`activity/sleep/${sleepId}`]: sleep,
        'cycle/935101122/recovery': { ...recovery, sleep_id: 'other' },
      },
    ],
  ])('says that a recovery is gone when %s', async (_why, documents) => {
    const { context } = knowing(documents);
    expect(await fetchWhoopRecords('recovery', { kind: 'object', id: `recovery/${sleepId}` }, context)).toEqual({ is: 'gone' });
  });

  it('reads days with room on both sides, follows every page, and cuts by the day of waking', async () => {
    const dated = (id: string, end: string) => ({ ...sleep, id, start: end.replace('T0', 'T00').slice(0, 11) + '00:00:00Z', end });
    const replies = [
      { body: { records: [dated('after', '2026-09-15T22:00:00.000Z'), dated('late', '2026-09-15T21:59:59.999Z')], next_token: 'n/1' } },
      { body: list(dated('early', '2026-09-14T22:00:00.000Z'), dated('before', '2026-09-14T21:59:59.999Z')) },
    ];
    const { asked, http } = scriptedHttp(...replies);
    const outcome = await fetchWhoopRecords('sleep', days, testContext(http, now));
    const ids =
      outcome.is === 'records' ? outcome.records.flatMap((record) => (record.kind === 'sleep' ? record.providerRecordId : [])) : [];
    expect(ids).toEqual(['late', 'early']);
    const query = 'start=2026-09-13T00%3A00%3A00.000Z&end=2026-09-17T00%3A00%3A00.000Z&limit=25';
    expect(asked.map(({ url }) => url)).toEqual([`${root}activity/sleep?${query}`, `${root}activity/sleep?${query}&nextToken=n%2F1`]);
  });

  it('files recoveries under the day of their sleep, and reads the sleep of one that began before the span', async () => {
    const other = { ...recovery, sleep_id: 'far', cycle_id: 7 };
    const { context } = knowing({
      recovery: list(recovery, other, { ...recovery, sleep_id: 'erased' }),
      'activity/sleep': fixture('sleep-collection'),
      'activity/sleep/far': { ...sleep, id: 'far', start: '2026-09-13T21:00:00.000Z', end: '2026-09-14T05:00:00.000Z' },
    });
    const outcome = await fetchWhoopRecords('recovery', { ...days, from: '2026-09-14' }, context);
    const names = outcome.is === 'records' ? new Set(outcome.records.map((record) => record.providerRecordId)) : new Set();
    expect([...names]).toEqual([`recovery/${sleepId}`, 'recovery/far']);
  });

  it('C035 one collection that cannot be read fails by itself and is never empty', async () => {
    const closed = { ...(fixture('cycle')['records'] as Json[])[1], id: 935101122 };
    const { context } = knowing({ cycle: list(closed), 'activity/sleep': list(sleep) });
    expect(await fetchWhoopRecords('recovery', days, context)).toEqual({ is: 'drift', detail: 'status 404' });
    expect(await fetchWhoopRecords('cycle', days, context)).toMatchObject({ is: 'records', records: { length: 4 } });
  });

  it('files a cycle under the day of its main sleep, and not of its nap', async () => {
    const closed = { ...(fixture('cycle')['records'] as Json[])[1], id: 935101122 };
    const { context } = knowing({ cycle: list(closed), 'activity/sleep': fixture('sleep-collection') });
    expect(await fetchWhoopRecords('cycle', days, context)).toMatchObject({
      is: 'records',
      records: [{ metric: 'total_energy', localDate: '2026-09-15', value: 2400.1, dayModel: 'physiological_cycle' }, {}, {}, {}],
    });
  });

  it('lets the longest of several cycles of a day stand for it, as new as the newest', async () => {
    const [, closed] = fixture('cycle')['records'] as [Json, Json];
    const cycles = [
      { ...closed, id: 3, start: '2026-09-15T05:00:00Z', end: '2026-09-15T09:00:00Z', updated_at: '2026-09-15T23:00:00Z' },
      { ...closed, id: 2, start: '2026-09-14T21:00:00Z', end: null },
      { ...closed, id: 1, start: '2026-09-14T20:00:00Z', end: '2026-09-14T21:00:00Z' },
    ];
    const nights = cycles.map(({ id }) => ({ ...sleep, id: `sleep-${id}`, cycle_id: id }));
    for (const order of [cycles, cycles.toReversed()]) {
      const { context } = knowing({ cycle: list(...order), 'activity/sleep': list(...nights) });
      const outcome = await fetchWhoopRecords('cycle', days, context);
      expect(outcome).toMatchObject({ is: 'records', records: { length: 4 } });
      expect(outcome.is === 'records' && outcome.records[0]).toMatchObject({
        metric: 'total_energy',
        providerRecordId: 'cycle/2',
        version: Date.parse('2026-09-15T23:00:00Z') * 1000,
      });
    }
  });

  it('lets the longer of two nights of a day stand for it, and keeps both as sessions', async () => {
    const summary = (sleep['score'] as { stage_summary: Json }).stage_summary;
    const second = {
      ...sleep,
      id: 'second',
      score: { ...(sleep['score'] as Json), respiratory_rate: 20, stage_summary: { ...summary, total_light_sleep_time_milli: 60_000 } },
    };
    const { context } = knowing({ 'activity/sleep': list(second, sleep) });
    const outcome = await fetchWhoopRecords('sleep', days, context);
    const named =
      outcome.is === 'records' ? outcome.records.map((record) => ('metric' in record ? record.metric : record.providerRecordId)) : [];
    expect(named).toEqual(['second', sleepId, 'sleep_duration', 'respiratory_rate_night', 'vendor.whoop.sleep_performance']);
    expect(outcome).toMatchObject({ records: [{}, {}, { value: 25_080 }, { value: 14.1 }, {}] });
  });

  it('lets the longer of two nights stand for its day, whichever of them is read by its id', async () => {
    const summary = (sleep['score'] as { stage_summary: Json }).stage_summary;
    const short = {
      ...sleep,
      id: 'short',
      cycle_id: 7,
      start: '2026-09-15T06:00:00.000Z',
      end: '2026-09-15T08:00:00.000Z',
      updated_at: '2026-09-15T09:00:00.000Z',
      score: { ...(sleep['score'] as Json), stage_summary: { ...summary, total_light_sleep_time_milli: 60_000 } },
    };
    const documents = {
      'activity/sleep': list(short, sleep, { ...sleep, id: 'broken', end: 'private' }),
      'activity/sleep/short': short,
      [`activity/sleep/${sleepId}`]: sleep,
      'cycle/7/recovery': { ...recovery, sleep_id: 'short', cycle_id: 7 },
      'cycle/935101122/recovery': recovery,
    };
    const read = async (collection: string, id: string) => {
      const outcome = await fetchWhoopRecords(collection, { kind: 'object', id }, knowing(documents).context);
      return outcome.is === 'records' ? outcome.records : [];
    };
    const ofDay = [
      { metric: 'sleep_duration', value: 25_080, providerRecordId: sleepId, version: Date.parse('2026-09-15T09:00:00Z') * 1000 },
      {},
      {},
    ];
    expect(await read('sleep', 'short')).toMatchObject([{ kind: 'sleep', providerRecordId: 'short' }, ...ofDay]);
    expect(await read('sleep', sleepId)).toMatchObject([{ kind: 'sleep', providerRecordId: sleepId }, ...ofDay]);
    const listed = await fetchWhoopRecords('sleep', days, knowing(documents).context);
    const duration = (records: readonly unknown[]) => records.find((record) => (record as Json)['metric'] === 'sleep_duration');
    expect(duration(listed.is === 'records' ? listed.records : [])).toEqual(duration(await read('sleep', 'short')));
    expect(await read('recovery', 'recovery/short')).toEqual([]);
    expect(await read('recovery', `recovery/${sleepId}`)).toHaveLength(5);
  });

  it('reads each document by itself: one of another shape is a fault, and the others count', async () => {
    const bad = { ...sleep, id: 'bad', end: 'private' };
    const { context } = knowing({
      'activity/sleep': list('private', sleep, bad),
      cycle: list(
        { ...(fixture('cycle')['records'] as Json[])[1], id: 935101122 },
        { ...(fixture('cycle')['records'] as Json[])[1], id: 5 },
      ),
      recovery: list({ ...recovery, sleep_id: 7 }, recovery),
    });
    const faults = ['records[0] is no object', 'records[2].end is no instant with an offset'];
    expect(await fetchWhoopRecords('sleep', days, context)).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ providerRecordId: sleepId }, {}, {}, {}],
      faults,
    });
    // The sleep of cycle 5 may be among those that could not be read: its day is not guessed.
    const cycles = await fetchWhoopRecords('cycle', days, context);
    expect(cycles).toMatchObject({ records: { length: 4 }, faults });
    const recoveries = await fetchWhoopRecords('recovery', days, context);
    expect(recoveries).toMatchObject({ records: { length: 5 }, faults: ['records[0].sleep_id is no text', ...faults] });
  });

  it('a record carries the hash of all that it was made from', async () => {
    const hash = async (changes: Json) => {
      const { context } = knowing({
        [`activity/sleep/${sleepId}`]: { ...sleep, ...changes },
        'activity/sleep': list(),
        'cycle/935101122/recovery': recovery,
      });
      const outcome = await fetchWhoopRecords('recovery', { kind: 'object', id: `recovery/${sleepId}` }, context);
      return outcome.is === 'records' && outcome.records[0]?.kind === 'daily' ? outcome.records[0].inputHash : undefined;
    };
    expect(await hash({})).toMatch(/^[0-9a-f]{64}$/);
    expect(await hash({})).toBe(await hash({}));
    expect(await hash({ end: '2026-09-15T23:41:30.000Z' })).not.toBe(await hash({}));
  });

  it('reads one cycle with its sleep', async () => {
    const closed = (fixture('cycle')['records'] as Json[])[1];
    const { context } = knowing({ 'cycle/935101121': closed, 'cycle/935101121/sleep': sleep });
    expect(await fetchWhoopRecords('cycle', { kind: 'object', id: '935101121' }, context)).toMatchObject({
      is: 'records',
      records: [{ localDate: '2026-09-15' }, {}, {}, {}],
    });
  });

  it('reads the body whatever the window', async () => {
    const { context } = knowing({ 'user/measurement/body': fixture('body') });
    for (const window of [days, { kind: 'whole' }] as const) {
      expect(await fetchWhoopRecords('body_measurement', window, context)).toMatchObject({
        is: 'records',
        records: [
          { metric: 'body_weight', value: 72.5 },
          { metric: 'height', value: 175 },
        ],
      });
    }
  });

  it('C042 asks for the same span of the clock whenever it asks', async () => {
    const urls = async (at: number) => {
      const { asked, http } = scriptedHttp({ body: list() });
      await fetchWhoopRecords('workout', days, testContext(http, at));
      return asked.map(({ url }) => url);
    };
    expect(await urls(now + 3_000)).toEqual(await urls(now));
  });

  it('stops at a bound of pages, and says that it is not all', async () => {
    const { asked, http } = scriptedHttp(() => ({ body: { records: [], next_token: 'again' } }));
    expect(await fetchWhoopRecords('workout', days, testContext(http, now))).toEqual({ is: 'records', complete: false, records: [] });
    expect(asked).toHaveLength(40);
  });

  it.each([
    [{ status: 401 }, { is: 'unauthorised' }],
    [{ status: 403 }, { is: 'forbidden', scope: 'read:sleep' }],
    [
      { status: 429, headers: { 'x-ratelimit-reset': '3' } },
      { is: 'rate-limited', retryAt: now + 3_000 },
    ],
    [
      { status: 429, headers: { 'x-ratelimit-reset': '80000' } },
      { is: 'rate-limited', retryAt: now + 3_600_000 },
    ],
    [{ status: 429 }, { is: 'rate-limited', retryAt: now + 60_000 }],
    [{ status: 503 }, { is: 'transient', code: 'http_503' }],
    [{ status: 302 }, { is: 'drift', detail: 'status 302' }],
    [{ status: 404 }, { is: 'drift', detail: 'status 404' }],
    [new ProviderUnreachable('timeout'), { is: 'transient', code: 'timeout' }],
    [{ body: '{"private":' }, { is: 'transient', code: 'body_no_json' }],
    [{ body: [] }, { is: 'drift', detail: 'body is no object' }],
    [{ body: 'null' }, { is: 'drift', detail: 'body is no object' }],
    [{ body: {} }, { is: 'drift', detail: 'records is no list' }],
    [{ body: { records: [], next_token: 7 } }, { is: 'drift', detail: 'next_token is no text' }],
    [{ body: '"oops"' }, { is: 'drift', detail: 'body is no object' }],
  ] as const)('C037 makes an outcome of %j', async (said, outcome) => {
    expect(await fetchWhoopRecords('sleep', days, testContext(scriptedHttp(said).http, now))).toEqual(outcome);
  });

  it('knows its collections and its windows', async () => {
    const { context } = knowing({});
    expect((await fetchWhoopRecords('toString', days, context)).is).toBe('drift');
    expect((await fetchWhoopRecords('sleep', { kind: 'whole' }, context)).is).toBe('drift');
  });
});
