import { type DailyRecord, type SleepRecord, dailyMetrics, rangeOf } from '@tributary/domain';

/**
 * Time asleep of each day and source: that of all sleeps that end on it and are no naps, which stand for themselves.
 * @param sleeps all that there are of those days, and perhaps of others.
 * @param days those that are meant.
 */
export function sleepDurations(sleeps: readonly SleepRecord[], days: ReadonlySet<string>): DailyRecord[] {
  const byDay = new Map<string, SleepRecord[]>();
  for (const sleep of sleeps) {
    if (!days.has(sleep.localDate) || sleep.detail.isNap || sleep.detail.asleepS === null) continue;
    const key = `${sleep.localDate} ${sleep.source.id}`;
    byDay.set(key, [...(byDay.get(key) ?? []), sleep]);
  }
  return [...byDay.values()].flatMap((ofDay): DailyRecord[] => {
    const value = ofDay.reduce((sum, { detail }) => sum + (detail.asleepS ?? 0), 0);
    // Two that overlap may add up to more than a day has; then which of them is right is not known.
    if (rangeOf(dailyMetrics.sleep_duration, value) === 'impossible') return [];
    const longest = ofDay.reduce((best, one) => ((one.detail.asleepS ?? 0) > (best.detail.asleepS ?? 0) ? one : best));
    const { kind: _kind, start: _start, end: _end, endUtcOffsetS: _offset, detail: _detail, inputHash: _hash, ...dated } = longest;
    return [
      {
        ...dated,
        kind: 'daily',
        metric: 'sleep_duration',
        value,
        provisional: ofDay.some(({ provisional }) => provisional),
        version: newest(ofDay.map(({ version }) => version)),
        coverageEnd: newest(ofDay.map(({ coverageEnd }) => coverageEnd)),
      },
    ];
  });
}

/** undefined as soon as one is: then nothing orders the whole. */
function newest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length < times.length ? undefined : Math.max(...known);
}
