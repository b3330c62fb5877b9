import { type SeriesRecord, closesAt, rangeOf, seriesMetrics } from '@tributary/domain';
import { readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { polarWatch, readDay, readUnderscored } from './fields.js';

/**
 * The heart rates of one day. Their clock times have no zone: where the night that ended on that day tells the offset, they are instants by
 * it, else they are written as if they were UTC and stay provisional.
 * @param offsetS seconds east of UTC; undefined when it is not known.
 * @throws Drift naming the path.
 */
export function heartRateRecords(
  value: unknown,
  at: string,
  { now, offsetS }: { now: number; offsetS: number | undefined },
): SeriesRecord[] {
  const document = readUnderscored(value, at);
  const localDate = readDay(document, 'date', at);
  const given = document['heart_rate_samples'] ?? [];
  if (!Array.isArray(given)) throw new Drift(`${at}heart_rate_samples is no list`);
  // A second that comes twice counts once, as it came last.
  const bySecond = new Map<number, number>();
  for (const [index, one] of given.entries()) {
    const path = `${at}heart_rate_samples[${index}].`;
    const sample = readUnderscored(one, path);
    const beats = readNumber(sample, 'heart_rate', path);
    const clock = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/.exec(readText(sample, 'sample_time', path) ?? '');
    if (clock === null) throw new Drift(`${path}sample_time is no clock time`);
    if (beats === null || beats === 0) continue;
    if (rangeOf(seriesMetrics.heart_rate, beats) === 'impossible') throw new Drift(`${path}heart_rate is out of any possible range`);
    bySecond.set(Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]), beats);
  }
  if (bySecond.size === 0) return [];
  const samples = [...bySecond].sort(([a], [b]) => a - b);
  return [
    {
      kind: 'series',
      metric: 'heart_rate',
      workoutId: undefined,
      providerRecordId: `continuous-heart-rate/${localDate}`,
      source: polarWatch,
      localDate,
      dateBasis: 'provider_date',
      dayModel: 'civil',
      utcOffsetS: offsetS,
      provisional: offsetS === undefined || now < closesAt(localDate, offsetS, 0),
      version: undefined,
      samples: {
        from: new Date(Date.parse(`${localDate}T00:00:00Z`) - (offsetS ?? 0) * 1000).toISOString(),
        offsetsS: samples.map(([second]) => second),
        values: samples.map(([, beats]) => beats),
        intervalS: undefined,
      },
    },
  ];
}
