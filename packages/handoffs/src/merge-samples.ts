import type { StoredSeries } from './show-record.js';

/** Samples of one source of one day. */
export interface SamplesOfDay {
  readonly metric: string;
  readonly localDate: string;
  readonly provider: string;
  readonly sourceId: string;
  readonly samplesFrom: Date;
  readonly offsetsS: readonly number[];
  readonly values: readonly number[];
}

/** Whose samples stand for which part of the day, in the order of time and without overlaps. */
export interface ResolvedSpans {
  readonly spans?: readonly {
    readonly from: string;
    readonly to: string;
    readonly picked: { readonly provider: string; readonly sourceId: string };
  }[];
}

/**
 * A series of the resolved view with the samples of every source that stands for a part of its day, in the order of time. A part whose
 * source is gone has none.
 */
export function mergeSamples<Row extends StoredSeries & { readonly resolution: ResolvedSpans }>(
  row: Row,
  days: readonly SamplesOfDay[],
): Row {
  const samples: { at: number; value: number }[] = [];
  for (const { from, to, picked } of row.resolution.spans ?? []) {
    const source = days.find(
      (day) =>
        day.metric === row.metric &&
        day.localDate === row.localDate &&
        day.provider === picked.provider &&
        day.sourceId === picked.sourceId,
    );
    if (source === undefined) continue;
    const [begin, end, start] = [Date.parse(from), Date.parse(to), source.samplesFrom.getTime()];
    source.offsetsS.forEach((offset, index) => {
      const at = start + offset * 1000;
      if (at >= begin && at < end) samples.push({ at, value: source.values[index] as number });
    });
  }
  const first = samples[0]?.at ?? row.samplesFrom.getTime();
  return {
    ...row,
    samplesFrom: new Date(first),
    offsetsS: samples.map(({ at }) => Math.round((at - first) / 1000)),
    values: samples.map(({ value }) => value),
  };
}
