import type { DaySamples, Resolved, SeriesShown } from '@tributary/storage';

/**
 * A series of the resolved view with the samples of every source that stands for a part of its day, in the order of time. A part whose
 * source is gone has none.
 */
export function mergeSamples(row: Resolved<SeriesShown>, days: readonly DaySamples[]): Resolved<SeriesShown> {
  const samples: { at: number; value: number }[] = [];
  // Spans follow each other in the order of time and do not overlap.
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
