import { readFileSync } from 'node:fs';
import { nowhere } from '../../testing/scripted-http.js';
import { describe, expect, it } from '@jest/globals';
import { type ProviderReply, ProviderUnreachable } from '../provider.js';
import { fetchWithingsRecords } from './fetch-records.js';

const now = Date.parse('2027-01-01T00:00:00Z');
const origins = { api: 'https://api.test', authorize: 'https://a.test', token: 'https://t.test' };
const days = { kind: 'days', from: '2026-09-12', to: '2026-09-13' } as const;
const bodies = JSON.parse(readFileSync(new URL('./fixtures/withings-api-errors.json', import.meta.url), 'utf8')).bodies as object[];

type Said = { http?: number; body: unknown };

/** A provider that says one thing after the other. */
function saying(...replies: (Said | Error)[]) {
  const asked: Record<string, string>[] = [];
  const http = {
    async send({ method, url, headers, body }: { method: string; url: string; headers?: object; body?: string }): Promise<ProviderReply> {
      expect([method, headers]).toMatchObject(['POST', { authorization: 'Bearer secret-token' }]);
      asked.push({ url, ...Object.fromEntries(new URLSearchParams(body)) });
      const next = replies.shift();
      if (next === undefined) throw new Error('asked too often');
      if (next instanceof Error) throw next;
      return {
        status: next.http ?? 200,
        headers: {},
        body: Buffer.from(typeof next.body === 'string' ? next.body : JSON.stringify(next.body)),
      };
    },
  };
  return { asked, context: { http, origins, accessToken: 'secret-token', now, whereabouts: nowhere } };
}

const group = (grpid: number, date: string) => ({
  grpid,
  category: 1,
  attrib: 0,
  date: Date.parse(date) / 1000,
  modified: 1_789_000_000,
  measures: [{ value: 70 + grpid, type: 1, unit: 0 }],
});
const page = (groups: object[], more: object = { more: 0, offset: 0 }) => ({
  body: { status: 0, body: { timezone: 'Europe/Prague', measuregrps: groups, ...more } },
});
const idsOf = (outcome: Awaited<ReturnType<typeof fetchWithingsRecords>>) =>
  outcome.is === 'records' ? outcome.records.map((record) => record.providerRecordId) : outcome.is;

describe('reading Withings', () => {
  it('days of measures are asked for as wide as the Earth, and cut by the zone of the answer', async () => {
    const { asked, context } = saying(
      page([group(1, '2026-09-11T21:59:59Z'), group(2, '2026-09-11T22:00:00Z')], { more: 1, offset: 2 }),
      page([group(3, '2026-09-12T21:59:59Z'), group(4, '2026-09-12T22:00:00Z')]),
    );
    const outcome = await fetchWithingsRecords('measure', days, context);
    expect(outcome).toMatchObject({ is: 'records', complete: true });
    expect(idsOf(outcome)).toEqual(['2', '3']);
    const seconds = (text: string) => String(Date.parse(text) / 1000);
    const first = {
      url: 'https://api.test/measure',
      action: 'getmeas',
      category: '1',
      startdate: seconds('2026-09-11T10:00:00Z'),
      enddate: seconds('2026-09-13T12:00:00Z'),
    };
    expect(asked).toEqual([first, { ...first, offset: '2' }]);
  });

  it('spans of measures are cut to the second', async () => {
    const window = { kind: 'instants', from: '2026-09-12T04:10:59.000Z', to: '2026-09-12T04:11:02.000Z' } as const;
    const { asked, context } = saying(
      page([
        group(1, '2026-09-12T04:10:58Z'),
        group(2, '2026-09-12T04:10:59Z'),
        group(3, '2026-09-12T04:11:01Z'),
        group(4, '2026-09-12T04:11:02Z'),
      ]),
    );
    expect(idsOf(await fetchWithingsRecords('measure', window, context))).toEqual(['2', '3']);
    expect(asked).toMatchObject([{ startdate: '1789186258', enddate: '1789186263' }]);
  });

  it('activity is the totals and workouts of the days, each asked for by the names of its fields', async () => {
    const activity = JSON.parse(readFileSync(new URL('./fixtures/withings-api-getactivity.json', import.meta.url), 'utf8'));
    const { asked, context } = saying({ body: activity }, { body: { status: 0, body: { series: [], more: false, offset: 0 } } });
    const outcome = await fetchWithingsRecords('activity', { kind: 'days', from: '2026-09-14', to: '2026-09-15' }, context);
    expect(outcome).toMatchObject({ is: 'records', complete: true, records: { length: 10 } });
    expect(asked).toMatchObject([
      { url: 'https://api.test/v2/measure', action: 'getactivity', startdateymd: '2026-09-13', enddateymd: '2026-09-16' },
      { url: 'https://api.test/v2/measure', action: 'getworkouts', startdateymd: '2026-09-13', enddateymd: '2026-09-16' },
    ]);
    expect(asked[0]?.['data_fields']).toContain('totalcalories');
  });

  it('nights are those that touch the span, or that end on the days', async () => {
    const night = (id: number, start: string, end: string, date: string) => ({
      id,
      timezone: 'Europe/Prague',
      model: 32,
      startdate: Date.parse(start) / 1000,
      enddate: Date.parse(end) / 1000,
      date,
      modified: 1,
      data: {},
    });
    const series = [
      night(1, '2026-09-13T21:00:00Z', '2026-09-14T04:00:00Z', '2026-09-14'),
      night(2, '2026-09-14T21:10:30Z', '2026-09-15T04:41:30Z', '2026-09-15'),
    ];
    const answer = { body: { status: 0, body: { series, more: false } } };
    const none = { body: { status: 0, body: { series: [] } } };
    const span = { kind: 'instants', from: '2026-09-14T21:10:30.000Z', to: '2026-09-15T04:41:31.000Z' } as const;
    const { asked, context } = saying(answer, none, answer, none, answer, none, none);
    expect(idsOf(await fetchWithingsRecords('sleep', span, context))).toEqual(['2']);
    expect(idsOf(await fetchWithingsRecords('sleep', { kind: 'days', from: '2026-09-14', to: '2026-09-15' }, context))).toEqual(['1']);
    expect(idsOf(await fetchWithingsRecords('sleep', { kind: 'whole' }, context))).toEqual(['1', '2']);
    expect(asked).toMatchObject([
      { url: 'https://api.test/v2/sleep', action: 'getsummary', startdateymd: '2026-09-12', enddateymd: '2026-09-17' },
      { url: 'https://api.test/v2/sleep', action: 'get', startdate: '1789420230', enddate: '1789447290' },
      { startdateymd: '2026-09-12', enddateymd: '2026-09-17' },
      { action: 'get' },
      { lastupdate: '0' },
      { action: 'get' },
      { action: 'get' },
    ]);
  });

  it('each night with its stages, and each day with all that was slept on it but naps', async () => {
    const sleep = (id: number, start: string, end: string, slept: number) => ({
      id,
      timezone: 'Europe/Prague',
      model_id: 63,
      startdate: Date.parse(start) / 1000,
      enddate: Date.parse(end) / 1000,
      date: '2026-09-15',
      modified: 1_789_447_500 + id,
      data: { total_sleep_time: slept, total_timeinbed: slept },
    });
    const series = [
      sleep(1, '2026-09-14T19:00:00Z', '2026-09-14T22:30:00Z', 12_000),
      sleep(2, '2026-09-14T23:10:30Z', '2026-09-15T04:41:30Z', 18_000),
      sleep(3, '2026-09-15T12:00:00Z', '2026-09-15T12:30:00Z', 1_800),
    ];
    const stretches = [{ startdate: 1_789_427_430, enddate: 1_789_430_000, state: 2, model_id: 63 }];
    const of = (list: object[]) => ({ body: { status: 0, body: { series: list, more: false } } });
    // Only the second one was told of; the time slept on the day is of both nights.
    const window = { kind: 'instants', from: '2026-09-15T01:00:00.000Z', to: '2026-09-15T04:41:31.000Z' } as const;
    const outcome = await fetchWithingsRecords('sleep', window, saying(of(series), of(stretches)).context);
    expect(outcome).toMatchObject({
      is: 'records',
      complete: true,
      records: [
        { kind: 'sleep', providerRecordId: '2', detail: { stages: [{ stage: 'deep', start: '2026-09-14T23:10:30.000Z' }] } },
        { metric: 'sleep_duration', value: 30_000, localDate: '2026-09-15', version: 1_789_447_502_000_000 },
      ],
    });
    if (outcome.is !== 'records') throw new Error('no records');
    for (const record of outcome.records) expect(record).toHaveProperty('inputHash', expect.stringMatching(/^[0-9a-f]{64}$/));
  });

  it('a sleep whose stages cannot be read is a fault of its own, and keeps the stages that we have', async () => {
    const one = {
      id: 1,
      startdate: 1_789_420_230,
      enddate: 1_789_447_290,
      date: '2026-09-15',
      timezone: 'Europe/Prague',
      modified: 1,
      data: {},
    };
    const of = (list: unknown) => ({ body: { status: 0, body: { series: list } } });
    const night = { kind: 'days', from: '2026-09-15', to: '2026-09-16' } as const;
    const outcome = await fetchWithingsRecords('sleep', night, saying(of([one]), of(['private'])).context);
    expect(outcome).toEqual({ is: 'records', complete: true, records: [], faults: ['body.series[0].stages[0] is no object'] });
  });

  it('C057: a day of 25 hours is read whole, in two calls, and its hour that comes twice is two hours', async () => {
    const activity = { date: '2026-10-25', timezone: 'Europe/Prague', modified: 1, steps: 10 };
    const list = { body: { status: 0, body: { activities: [activity], more: false } } };
    const entry = (time: string, more: object): [string, object] => [
      String(Date.parse(time) / 1000),
      { model_id: 93, model: 'ScanWatch', ...more },
    ];
    const first = Object.fromEntries([
      entry('2026-10-24T22:00:00Z', { heart_rate: 50, steps: 5, duration: 60 }),
      // 02:30 by the clock, twice.
      entry('2026-10-25T00:30:00Z', { heart_rate: 51 }),
      entry('2026-10-25T01:30:00Z', { heart_rate: 52 }),
      entry('2026-10-25T22:00:00Z', { heart_rate: 99 }),
    ]);
    const second = Object.fromEntries([
      entry('2026-10-25T22:00:00Z', { heart_rate: 53 }),
      entry('2026-10-25T23:00:00Z', { heart_rate: 99 }),
    ]);
    const series = (of: object) => ({ body: { status: 0, body: { series: of } } });
    const { asked, context } = saying(list, series(first), series(second));
    const outcome = await fetchWithingsRecords('intraday', { kind: 'days', from: '2026-10-25', to: '2026-10-26' }, context);
    expect(asked.slice(1)).toMatchObject([
      {
        action: 'getintradayactivity',
        startdate: String(Date.parse('2026-10-24T22:00:00Z') / 1000),
        enddate: String(Date.parse('2026-10-25T22:00:00Z') / 1000),
      },
      { startdate: String(Date.parse('2026-10-25T22:00:00Z') / 1000), enddate: String(Date.parse('2026-10-25T23:00:00Z') / 1000) },
    ]);
    expect(outcome).toMatchObject({
      is: 'records',
      records: [
        {
          metric: 'heart_rate',
          localDate: '2026-10-25',
          source: { id: 'src_withings_model_93' },
          samples: {
            from: '2026-10-24T22:00:00.000Z',
            offsetsS: [0, 9_000, 12_600, 86_400],
            values: [50, 51, 52, 53],
            intervalS: undefined,
          },
        },
        { metric: 'steps_intraday', samples: { offsetsS: [0], values: [5], intervalS: 60 } },
      ],
    });
  });

  it('a day with one sample that is not of the shape has no series rather than part of one', async () => {
    const activity = (date: string) => ({ date, timezone: 'Europe/Prague', modified: 1 });
    const list = { body: { status: 0, body: { activities: [activity('2026-09-14'), activity('2026-09-13')] } } };
    const at = (time: string, heart_rate: unknown) => ({ [Date.parse(time) / 1000]: { model_id: 93, heart_rate } });
    const series = (of: object) => ({ body: { status: 0, body: { series: of } } });
    const good = series(at('2026-09-13T10:00:00Z', 60));
    const bad = series({ ...at('2026-09-14T10:00:00Z', 60), ...at('2026-09-14T11:00:00Z', 'private') });
    const { context } = saying(list, bad, good);
    const outcome = await fetchWithingsRecords('intraday', { kind: 'days', from: '2026-09-13', to: '2026-09-15' }, context);
    expect(outcome).toMatchObject({
      records: [{ metric: 'heart_rate', localDate: '2026-09-13' }],
      faults: ['body.series.1789383600.heart_rate is no number'],
    });
    expect(outcome).toHaveProperty('records.length', 1);
  });

  it('of measures tells the zone of the profile, by which they are filed', async () => {
    const outcome = await fetchWithingsRecords('measure', days, saying(page([group(2, '2026-09-11T22:00:00Z')])).context);
    expect(outcome).toMatchObject({ profileZone: 'Europe/Prague', records: [{ localDate: '2026-09-12', dateBasis: 'profile_zone' }] });
  });

  it('C047: 200 means nothing: the number inside decides, and only success without a list is nothing', async () => {
    const outcomes = [];
    for (const body of bodies) outcomes.push(await fetchWithingsRecords('measure', days, saying({ body }).context));
    expect(outcomes).toEqual([
      { is: 'rate-limited', retryAt: now + 60_000 },
      { is: 'unauthorised' },
      { is: 'drift', detail: 'status 293' },
      { is: 'records', complete: true, records: [] },
    ]);
  });

  it.each([
    [{ body: { status: 403, body: {} } }, { is: 'forbidden', scope: 'user.metrics' }],
    [{ body: { status: 2555, body: [] } }, { is: 'transient', code: 'withings_2555' }],
    [{ body: '<html>' }, { is: 'transient', code: 'body_no_json' }],
    [{ body: { status: '0' } }, { is: 'drift', detail: 'status is no number' }],
    [{ body: { status: 0, body: { measuregrps: {} } } }, { is: 'drift', detail: 'body.measuregrps is no list' }],
    [
      { http: 502, body: '<html>' },
      { is: 'transient', code: 'http_502' },
    ],
    [
      { http: 429, body: '' },
      { is: 'rate-limited', retryAt: now + 60_000 },
    ],
    [new ProviderUnreachable('timeout'), { is: 'transient', code: 'timeout' }],
  ])('every other end is an outcome (%#)', async (said, outcome) => {
    expect(await fetchWithingsRecords('measure', days, saying(said).context)).toEqual(outcome);
  });

  it('C156: a refusal on a later page is the outcome of the whole', async () => {
    const { context } = saying(page([group(2, '2026-09-12T12:00:00Z')], { more: 1, offset: 1 }), { body: { status: 601, body: {} } });
    expect(await fetchWithingsRecords('measure', days, context)).toMatchObject({ is: 'rate-limited' });
  });

  it('stops after fifty pages and says that it is not complete', async () => {
    const { asked, context } = saying(...Array.from({ length: 51 }, () => page([], { more: 1, offset: 1 })));
    expect(await fetchWithingsRecords('measure', days, context)).toEqual({
      ...{ is: 'records', complete: false, records: [] },
      // Also an answer without measures names it.
      profileZone: 'Europe/Prague',
    });
    expect(asked).toHaveLength(50);
  });

  it('names the path of what it does not understand, and asks nothing for what it does not know', async () => {
    const broken = { ...group(2, '2026-09-12T12:00:00Z'), measures: 'private' };
    const { context } = saying(page([broken, group(3, '2026-09-12T12:00:00Z')]));
    expect(await fetchWithingsRecords('measure', days, context)).toMatchObject({
      is: 'records',
      records: [{ providerRecordId: '3' }],
      faults: ['body.measuregrps[0].measures is no list'],
    });
    expect(await fetchWithingsRecords('heart', days, saying().context)).toEqual({ is: 'drift', detail: 'collection is not known' });
    expect(await fetchWithingsRecords('measure', { kind: 'object', id: '1' }, saying().context)).toEqual({
      is: 'drift',
      detail: 'windows of objects are not known',
    });
  });
});
