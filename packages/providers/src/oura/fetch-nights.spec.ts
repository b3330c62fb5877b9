import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { HealthRecord, SeriesRecord } from '@tributary/domain';
import { type Asked, type Said, nowhere, scriptedHttp, testContext } from '../../testing/scripted-http.js';
import { fetchOuraRecords } from './fetch-records.js';

const now = Date.parse('2027-01-01T00:00:00Z');
const api = 'https://api.test/v2/usercollection/';
const fixture = (name: string) =>
  (JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8')) as { data: Record<string, unknown>[] }).data;
const [night, nap] = fixture('sleep') as [Record<string, unknown>, Record<string, unknown>];
const day = { kind: 'days', from: '2026-09-15', to: '2026-09-16' } as const;
const all = { kind: 'days', from: '2026-09-14', to: '2026-09-16' } as const;

async function read(
  collection: string,
  window: Parameters<typeof fetchOuraRecords>[1],
  replies: readonly Said[] | ((asked: Asked) => Said),
  whereabouts = nowhere,
) {
  const { http, asked } = typeof replies === 'function' ? scriptedHttp(replies) : scriptedHttp(...replies);
  const outcome = await fetchOuraRecords(collection, window, testContext(http, now, whereabouts));
  const records: readonly HealthRecord[] = outcome.is === 'records' ? outcome.records : [];
  return { outcome, records, asked: asked.map(({ url }) => url.replace(api, '')), named: records.map(nameOf) };
}
const nameOf = (record: HealthRecord) =>
  record.kind === 'deleted' || record.kind === 'sleep' || record.kind === 'workout'
    ? `${record.kind} ${record.providerRecordId}`
    : `${record.metric} ${record.localDate}`;
const body = (...data: unknown[]) => ({ body: { data, next_token: null } });

describe("Oura's nights", () => {
  it('a sleep by its id comes with what all sleeps of its day say of the day', async () => {
    const { asked, named } = await read('sleep', { kind: 'object', id: 'n' }, [{ body: night }, body(nap, night)]);
    expect(asked).toEqual(['sleep/n', 'sleep?start_date=2026-09-14&end_date=2026-09-16']);
    expect(named).toEqual([
      `sleep ${String(night['id'])}`,
      'sleep_duration 2026-09-15',
      'hrv_rmssd_night 2026-09-15',
      'respiratory_rate_night 2026-09-15',
      'hrv_rmssd 2026-09-14',
    ]);
  });

  it('a nap by its id leaves the values of the day to the night', async () => {
    const { records } = await read('sleep', { kind: 'object', id: 'n' }, [{ body: nap }, body(nap, night)]);
    expect(records).toMatchObject([{ kind: 'sleep', detail: { isNap: true } }, { metric: 'sleep_duration', value: 25_080 }, {}, {}, {}]);
  });

  it('C129 holes in a list are no samples, and each sample lies under the day of its instant', async () => {
    const hrv = { interval: 300, items: [null, 61, null, 58], timestamp: '2026-09-14T23:50:00.000+02:00' };
    const { records } = await read('sleep', all, [body({ ...night, hrv }, nap)]);
    const series = records.filter((record): record is SeriesRecord => record.kind === 'series');
    expect(series).toMatchObject([
      { metric: 'hrv_rmssd', localDate: '2026-09-14', samples: { from: '2026-09-14T21:55:00.000Z', offsetsS: [0], values: [61] } },
      { metric: 'hrv_rmssd', localDate: '2026-09-15', samples: { from: '2026-09-14T22:05:00.000Z', offsetsS: [0], values: [58] } },
    ]);
    expect(series[0]).toMatchObject({ utcOffsetS: 7_200, dateBasis: 'record_offset', dayModel: 'civil', workoutId: undefined });
    const short = await read('sleep', day, [body({ ...night, hrv: null, heart_rate: null })]);
    expect(short.named).not.toContain('hrv_rmssd 2026-09-15');
    expect(short.outcome).not.toHaveProperty('faults');
  });

  it('where a sleep of a day cannot be read, nothing is said of that day as a whole, and all of the others', async () => {
    const other = {
      ...night,
      id: 'other',
      day: '2026-09-14',
      bedtime_start: '2026-09-13T23:00:00+02:00',
      bedtime_end: '2026-09-14T06:00:00+02:00',
    };
    const { outcome, named } = await read('sleep', all, [body({ ...other, hrv: null }, night, { ...nap, awake_time: 'long' })]);
    expect(outcome).toMatchObject({ is: 'records', faults: ['data[2].awake_time is no number'] });
    expect(named).toEqual([
      'sleep other',
      `sleep ${String(night['id'])}`,
      'sleep_duration 2026-09-14',
      'hrv_rmssd_night 2026-09-14',
      'respiratory_rate_night 2026-09-14',
    ]);
  });
});

describe("Oura's heart rates", () => {
  const samples = fixture('oura-api-heartrate');
  const activity = (on: string, offset: string) => ({ id: on, day: on, timestamp: `${on}T04:00:00${offset}` });

  it('are a row a day, by the offset that the days of activity tell', async () => {
    const { asked, records } = await read('heartrate', all, [
      body(...samples),
      body(activity('2026-09-14', '+02:00'), activity('2026-09-15', '+02:00')),
    ]);
    expect(asked).toEqual([
      'heartrate?start_datetime=2026-09-13T09%3A00%3A00%2B00%3A00&end_datetime=2026-09-16T13%3A00%3A00%2B00%3A00',
      'daily_activity?start_date=2026-09-12&end_date=2026-09-16',
    ]);
    // 22:03 in UTC is 00:03 of the next day where the person is.
    expect(records).toMatchObject([
      {
        localDate: '2026-09-14',
        dateBasis: 'record_offset',
        utcOffsetS: 7_200,
        samples: { from: '2026-09-14T16:20:00.000Z', offsetsS: [0, 20_290], values: [148, 57] },
      },
      {
        localDate: '2026-09-15',
        samples: { from: '2026-09-14T22:03:10.000Z', offsetsS: [0], values: [55] },
        coverageEnd: Date.parse('2026-09-14T22:03:10Z'),
      },
    ]);
  });

  it('are dated by the whereabouts where those days may not be read, and stay provisional where nothing is known', async () => {
    const tokyo = { ...nowhere, fallbackZone: 'Asia/Tokyo' };
    const there = await read('heartrate', all, [body(...samples), { status: 403 }], tokyo);
    expect(there.records).toMatchObject([
      { localDate: '2026-09-15', dateBasis: 'fallback_zone', timeZone: 'Asia/Tokyo', samples: { values: [148, 57, 55] } },
    ]);
    const nobodyKnows = await read('heartrate', all, [body(...samples), body()]);
    expect(nobodyKnows.records).toMatchObject([{ localDate: '2026-09-14', dateBasis: 'utc_assumed', provisional: true }]);
  });

  it('the offset of long ago says nothing of today', async () => {
    const { records } = await read('heartrate', all, [body(...samples), body(activity('2026-09-12', '+02:00'))]);
    expect(records).toMatchObject([{ localDate: '2026-09-14', dateBasis: 'utc_assumed' }]);
  });

  it('a failure on the way is the end of the read, and a bad sample only its own', async () => {
    expect((await read('heartrate', all, [body(...samples), { status: 503 }])).outcome).toEqual({ is: 'transient', code: 'http_503' });
    const { outcome, records } = await read('heartrate', all, [
      body(...samples, { bpm: 'fast', timestamp: '2026-09-14T22:00:00Z' }),
      body(),
    ]);
    expect(outcome).toMatchObject({ faults: ['data[3].bpm is no number'] });
    expect(records).toHaveLength(1);
  });

  it('C042 the same days asked for at another time are the same request and the same rows', async () => {
    const first = await read('heartrate', all, [body(...samples), body()]);
    const { http, asked } = scriptedHttp(body(...samples), body());
    const later = await fetchOuraRecords('heartrate', all, testContext(http, now + 3_000));
    expect(asked.map(({ url }) => url.replace(api, ''))).toEqual(first.asked);
    expect(later).toEqual(first.outcome);
  });

  it('no more than whole days are made of pages without end', async () => {
    const sample = { bpm: 60, timestamp: '2026-09-15T12:00:00+00:00' };
    const { outcome, records } = await read('heartrate', all, ({ url }) =>
      url.includes('daily_activity') ? body() : { body: { data: [...samples, sample], next_token: 'more' } },
    );
    expect(outcome).toMatchObject({ is: 'records', complete: false });
    expect(records).toMatchObject([{ localDate: '2026-09-14' }]);
  });
});
