import { describe, expect, it } from '@jest/globals';
import type { SleepRecord } from '@tributary/domain';
import { sleepDurations } from './sleep-durations.js';

const sleep = (asleepS: number | null, more: Partial<SleepRecord> & { readonly isNap?: boolean } = {}): SleepRecord => {
  const { isNap = false, ...fields } = more;
  return {
    kind: 'sleep',
    providerRecordId: 's',
    source: { id: 'src', type: 'watch', manufacturer: undefined, model: undefined },
    localDate: '2026-09-15',
    dateBasis: 'provider_date',
    dayModel: 'night',
    utcOffsetS: 0,
    endUtcOffsetS: 0,
    provisional: false,
    version: 5,
    coverageEnd: 7,
    inputHash: 'of one document',
    start: '2026-09-14T22:00:00.000Z',
    end: '2026-09-15T06:00:00.000Z',
    detail: {
      isMain: !isNap,
      isNap,
      inBedS: asleepS,
      asleepS,
      awakeS: null,
      lightS: null,
      deepS: null,
      remS: null,
      latencyS: null,
      efficiencyPct: null,
      hrAvg: null,
      hrMin: null,
      hrvRmssd: null,
      respiratoryRate: null,
      stages: [],
    },
    ...fields,
  };
};
const days = new Set(['2026-09-15']);

describe('the time slept on a day', () => {
  it('is that of all sleeps but naps, is as new as the newest, and open as long as one of them is', () => {
    const sleeps = [
      sleep(18_000),
      sleep(7_200, { version: 9, coverageEnd: 8, provisional: true }),
      sleep(1_800, { isNap: true, version: 99 }),
      sleep(null, { version: 98 }),
      sleep(6_000, { localDate: '2026-09-16' }),
    ];
    expect(sleepDurations(sleeps, days)).toMatchObject([
      { kind: 'daily', metric: 'sleep_duration', value: 25_200, version: 9, coverageEnd: 8, provisional: true, localDate: '2026-09-15' },
    ]);
    expect(sleepDurations(sleeps, days)[0]).not.toHaveProperty('inputHash');
  });

  it('is of each source by itself, and has no version as soon as one has none', () => {
    const other = { id: 'mat', type: 'unknown', manufacturer: undefined, model: undefined } as const;
    const records = sleepDurations(
      [sleep(18_000), sleep(19_000, { source: other }), sleep(60, { source: other, version: undefined })],
      days,
    );
    expect(records.map(({ source, value, version }) => [source.id, value, version])).toEqual([
      ['src', 18_000, 5],
      ['mat', 19_060, undefined],
    ]);
  });

  it('is not told when it is more than a day has, or when only naps were slept', () => {
    expect(sleepDurations([sleep(50_000), sleep(50_000)], days)).toEqual([]);
    expect(sleepDurations([sleep(50_000, { isNap: true })], days)).toEqual([]);
  });
});
