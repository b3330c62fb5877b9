import { describe, expect, it } from '@jest/globals';
import type { Window } from '@tributary/domain';
import { type Said, scriptedHttp, testContext } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { googleScopes } from './collections.js';
import { fetchGoogleRecords } from './fetch-records.js';

const now = Date.parse('2027-01-01T00:00:00Z');
const days: Window = { kind: 'days', from: '2026-09-14', to: '2026-09-16' };
const instants: Window = { kind: 'instants', from: '2026-09-14T16:10:00.000Z', to: '2026-09-14T16:41:04.000Z' };

async function read(collection: string, window: Window, ...replies: (Said | Error)[]) {
  const { http, asked } = scriptedHttp(...replies);
  const outcome = await fetchGoogleRecords(collection, window, testContext(http, now));
  for (const { headers } of asked) expect(headers).toMatchObject({ authorization: 'Bearer secret-token' });
  const queries = asked.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
  return { outcome, asked, queries, paths: asked.map(({ url }) => new URL(url).pathname) };
}

const filterOf = async (collection: string, window: Window) => (await read(collection, window, {}, {})).queries.at(-1)?.['filter'];
const steps = (day: number, countSum: string) => ({ civilStartTime: { date: { year: 2026, month: 9, day } }, steps: { countSum } });
const exercise = (name: string, startTime: string, endTime: string, offset = '0s') => ({
  name,
  exercise: { exerciseType: 'RUNNING', interval: { startTime, endTime, startUtcOffset: offset, endUtcOffset: offset } },
});

describe('reading Google Health', () => {
  it('asks for totals by civil days', async () => {
    const { outcome, asked, queries } = await read('steps', days, { body: { rollupDataPoints: [steps(14, '1530'), steps(15, '0')] } }, {});
    expect(queries[1]?.['filter']).toBe(
      'steps.interval.start_time >= "2026-09-13T10:00:00.000Z" AND steps.interval.start_time < "2026-09-16T12:00:00.000Z"',
    );
    expect(asked.slice(0, 1)).toMatchObject([
      {
        method: 'POST',
        url: 'https://api.test/v4/users/me/dataTypes/steps/dataPoints:dailyRollUp',
        headers: { 'content-type': 'application/json' },
      },
    ]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      range: {
        start: { date: { year: 2026, month: 9, day: 14 }, time: {} },
        end: { date: { year: 2026, month: 9, day: 16 }, time: {} },
      },
      windowSizeDays: 1,
    });
    expect(outcome).toMatchObject({ is: 'records', complete: true, records: [{ value: 1530 }, { value: 0 }] });
  });

  it('cuts ranges to what one roll-up may have: a fortnight for some, ninety days for the others', async () => {
    const long: Window = { kind: 'days', from: '2026-01-01', to: '2026-04-11' };
    const ends = async (collection: string, calls: number) =>
      (await read(collection, long, ...Array.from({ length: calls }, () => ({})))).asked.map(
        ({ body }) => (JSON.parse(body ?? '') as { range: { end: { date: { month: number; day: number } } } }).range.end.date,
      );
    expect(await ends('distance', 2)).toMatchObject([
      { month: 4, day: 1 },
      { month: 4, day: 11 },
    ]);
    expect(await ends('total-calories', 8)).toHaveLength(8);
    expect(await ends('active-minutes', 8)).toHaveLength(8);
  });

  it('takes instants of a total to every civil day that they may touch', async () => {
    const { asked } = await read('distance', { kind: 'instants', from: '2026-03-02T20:00:00.000Z', to: '2026-03-02T21:00:00.000Z' }, {});
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({
      range: { start: { date: { month: 3, day: 2 } }, end: { date: { month: 3, day: 4 } } },
    });
  });

  it('names in each filter the member that the kind of type has, since a wrong one is answered with nothing', async () => {
    expect(await filterOf('daily-resting-heart-rate', days)).toBe(
      'daily_resting_heart_rate.date >= "2026-09-14" AND daily_resting_heart_rate.date < "2026-09-16"',
    );
    expect(await filterOf('basal-energy-burned', days)).toContain('basal_energy_burned.interval.start_time >= "2026-09-13T10:00:00.000Z"');
    expect(await filterOf('hydration-log', days)).toBe(
      'hydration_log.interval.civil_start_time >= "2026-09-14T00:00:00" AND hydration_log.interval.civil_start_time < "2026-09-16T00:00:00"',
    );
    // So far that every sleep of each day that is touched is there.
    expect(await filterOf('sleep', instants)).toBe(
      'sleep.interval.end_time >= "2026-09-13T14:10:00.000Z" AND sleep.interval.end_time < "2026-09-17T00:41:04.000Z"',
    );
    expect(await filterOf('sleep', days)).toBe(
      'sleep.interval.end_time >= "2026-09-13T10:00:00.000Z" AND sleep.interval.end_time < "2026-09-17T18:00:00.000Z"',
    );
    // Civil, not UTC.
    expect(await filterOf('exercise', days)).toBe(
      'exercise.interval.civil_start_time >= "2026-09-13T00:00:00" AND exercise.interval.civil_start_time < "2026-09-16T00:00:00"',
    );
    expect(await filterOf('body-fat', days)).toBe(
      'body_fat.sample_time.physical_time >= "2026-09-13T10:00:00.000Z" AND body_fat.sample_time.physical_time < "2026-09-16T12:00:00.000Z"',
    );
    // The heart rate is kept by whole days, whatever was told.
    expect(await filterOf('heart-rate', instants)).toBe(
      'heart_rate.sample_time.physical_time >= "2026-09-13T10:00:00.000Z" AND heart_rate.sample_time.physical_time < "2026-09-16T12:00:00.000Z"',
    );
    expect(await filterOf('daily-respiratory-rate', { kind: 'whole' })).toContain('.date >= "2026-12-02" AND');
  });

  it('follows every page and cuts by what each point says of itself', async () => {
    const { outcome, queries } = await read(
      'exercise',
      days,
      {
        body: {
          dataPoints: [
            exercise('a/1', '2026-09-13T23:59:59Z', '2026-09-14T01:00:00Z'),
            exercise('a/2', '2026-09-13T23:59:59Z', '2026-09-14T01:00:00Z', '3600s'),
          ],
          nextPageToken: 'n/1',
        },
      },
      { body: { dataPoints: [exercise('a/3', '2026-09-15T23:59:59Z', '2026-09-16T02:00:00Z')], nextPageToken: '' } },
    );
    expect(outcome).toMatchObject({ is: 'records', complete: true, records: [{ providerRecordId: '2' }, { providerRecordId: '3' }] });
    expect(queries[1]).toEqual({ ...queries[0], pageToken: 'n/1' });
  });

  it('of instants keeps what overlaps them, also what began before', async () => {
    const { outcome } = await read('exercise', instants, {
      body: {
        dataPoints: [
          exercise('a/over', '2026-09-14T15:00:00Z', '2026-09-14T16:20:00Z'),
          exercise('a/before', '2026-09-14T15:00:00Z', '2026-09-14T16:09:59Z'),
          exercise('a/after', '2026-09-14T16:41:04Z', '2026-09-14T17:00:00Z'),
        ],
      },
    });
    expect(outcome).toMatchObject({ is: 'records', records: [{ providerRecordId: 'over' }] });
    expect(outcome).toHaveProperty('records.length', 1);
  });

  it('nothing at all is a whole answer of nothing', async () => {
    for (const body of [{}, { dataPoints: [] }, { dataPoints: null }]) {
      expect((await read('weight', days, { body })).outcome).toEqual({ is: 'records', complete: true, records: [] });
    }
  });

  it('stops after a hundred pages, says so, and then has no day of a heart that might be half of one', async () => {
    const sample = (at: number) => ({
      heartRate: {
        sampleTime: { physicalTime: new Date(Date.parse('2026-09-14T08:00:00Z') + at * 1000).toISOString(), utcOffset: '0s' },
        beatsPerMinute: '60',
      },
    });
    const pages = Array.from({ length: 101 }, (_, n) => ({ body: { dataPoints: [sample(n)], nextPageToken: 'more' } }));
    const { outcome, asked } = await read('heart-rate', days, {}, ...pages);
    expect(outcome).toEqual({ is: 'records', complete: false, records: [] });
    expect(asked).toHaveLength(100);
    const whole = await read('heart-rate', days, {}, { body: { dataPoints: [sample(0), sample(5)] } });
    expect(whole.outcome).toMatchObject({ complete: true, records: [{ kind: 'series', samples: { offsetsS: [0, 5] } }] });
  });

  it('one point that cannot be read is a fault of its own, and the others count', async () => {
    const broken = exercise('a/2', 'yesterday', '2026-09-14T01:00:00Z');
    const points = [exercise('a/1', '2026-09-14T10:00:00Z', '2026-09-14T11:00:00Z'), broken, 'private'];
    expect((await read('exercise', days, { body: { dataPoints: points } })).outcome).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ providerRecordId: '1', inputHash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      faults: ['dataPoints[1].exercise.interval.startTime is no instant', 'dataPoints[2] is no object'],
    });
  });

  it('the time slept on a day is of all its sleeps but naps, also when only one of them was told', async () => {
    const sleep = (id: string, startTime: string, endTime: string, minutesAsleep: string, nap = false) => ({
      name: `a/${id}`,
      sleep: {
        interval: { startTime, endTime, startUtcOffset: '7200s', endUtcOffset: '7200s' },
        metadata: { nap },
        summary: { minutesAsleep },
        updateTime: `2026-09-15T0${id}:00:00Z`,
      },
    });
    const points = [
      sleep('1', '2026-09-14T20:00:00Z', '2026-09-14T23:00:00Z', '150'),
      sleep('2', '2026-09-15T00:00:00Z', '2026-09-15T05:00:00Z', '280'),
      sleep('3', '2026-09-15T12:00:00Z', '2026-09-15T12:30:00Z', '25', true),
      sleep('4', '2026-09-15T20:00:00Z', '2026-09-16T04:00:00Z', '450'),
    ];
    const told: Window = { kind: 'instants', from: '2026-09-15T00:00:00.000Z', to: '2026-09-15T05:00:00.000Z' };
    const { outcome } = await read('sleep', told, { body: { dataPoints: points } });
    expect(outcome).toMatchObject({
      records: [
        { kind: 'sleep', providerRecordId: '2' },
        { metric: 'sleep_duration', localDate: '2026-09-15', value: 25_800, version: Date.parse('2026-09-15T02:00:00Z') * 1000 },
      ],
    });
    expect(outcome).toHaveProperty('records.length', 2);
  });

  it('C042: is asked in the same words three seconds later, and gives the same', async () => {
    const asking = async (at: number) => {
      const { http, asked } = scriptedHttp(() => ({
        body: { dataPoints: [exercise('a/1', '2026-09-14T10:00:00Z', '2026-09-14T11:00:00Z')] },
      }));
      const outcome = await fetchGoogleRecords('exercise', days, testContext(http, at));
      const totals = scriptedHttp(() => ({}));
      await fetchGoogleRecords('heart-rate', days, testContext(totals.http, at));
      return { outcome, urls: [...asked, ...totals.asked].map(({ url, body }) => `${url} ${body}`) };
    };
    expect(await asking(now + 3_000)).toEqual(await asking(now));
  });

  it('C035, C037: a list where an object belongs fails the read, on whichever page: it is not the end of the data', async () => {
    for (const body of ['[]', '"oops"', 'null', '{"dataPoints":{}}']) {
      const later = await read('weight', days, { body: { nextPageToken: 'n' } }, { body });
      expect(later.outcome).toMatchObject({ is: 'drift' });
    }
    const cut = await read('weight', days, { body: { nextPageToken: 'n' } }, { body: '{"dataPoints":[' });
    expect(cut.outcome).toEqual({ is: 'transient', code: 'body_no_json' });
  });

  it('C156: a refusal on a later page is the outcome of the whole', async () => {
    const after = async (said: Said | Error) => (await read('sleep', days, { body: { nextPageToken: 'n' } }, said)).outcome;
    expect(await after({ status: 401 })).toEqual({ is: 'unauthorised' });
    expect(await after({ status: 403 })).toEqual({ is: 'forbidden', scope: googleScopes[1] });
    // Google says for how long neither in a header nor in the body.
    expect(await after({ status: 429, body: { error: { status: 'RESOURCE_EXHAUSTED' } } })).toEqual({
      is: 'rate-limited',
      retryAt: now + 60_000,
    });
    expect(await after({ status: 503 })).toEqual({ is: 'transient', code: 'http_503' });
    expect(await after({ status: 400 })).toEqual({ is: 'drift', detail: 'status 400' });
    expect(await after(new ProviderUnreachable('timeout'))).toEqual({ is: 'transient', code: 'timeout' });
  });

  it('knows neither other collections nor objects', async () => {
    expect((await read('nutrition-log', days)).outcome).toEqual({ is: 'drift', detail: 'collection is not known' });
    expect((await read('sleep', { kind: 'object', id: '1' })).outcome).toEqual({ is: 'drift', detail: 'windows of objects are not known' });
  });
});
