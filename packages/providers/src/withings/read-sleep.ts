import { type DailyRecord, type FetchOutcome, type SleepRecord } from '@tributary/domain';
import { readDocument } from '../document-fields.js';
import { Drift } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { hashedRecords, readDocuments, recordsOutcome } from '../read-documents.js';
import { sleepDurations } from '../sleep-durations.js';
import { withingsCollections } from './collections.js';
import { modelOf } from './fields.js';
import { type Listed, askWithings, readList } from './listing.js';
import { sleepRecords, stageRuns } from './sleep.js';
import { type Span, daysOf, isInside } from './spans.js';

const DAY_MS = 86_400_000;
const sleepFields =
  'total_timeinbed,total_sleep_time,lightsleepduration,deepsleepduration,remsleepduration,wakeupduration,sleep_latency,hr_average,hr_min,rr_average,sleep_score';

const { scope } = withingsCollections.sleep;
const asked = { path: '/v2/sleep', scope } as const;

/**
 * The sleeps of a window, each with its stages, which are asked for one sleep at a time; and the time slept on each of their days, of which
 * so all sleeps are read.
 */
export async function readSleep(window: Span, context: FetchContext): Promise<FetchOutcome> {
  const fields = { ...daysOf(window, 2), data_fields: sleepFields };
  const { listed, complete } = await readList({ ...asked, action: 'getsummary', list: 'series', fields }, context);
  const found: { one: Listed; sleep: SleepRecord }[] = [];
  const summaries = readDocuments(
    listed,
    (index) => listed[index]?.at ?? '',
    (one, at) => {
      const sleep = sleepRecords(one.value, at, context)[0];
      if (sleep?.kind === 'sleep') found.push({ one, sleep });
      return [];
    },
  );
  const meant: { value: unknown; at: string; stretches: readonly unknown[] }[] = [];
  for (const { one, sleep } of found) {
    if (isInside(sleep, window)) meant.push({ value: one.value, at: one.at, stretches: await stretchesOf(sleep, context) });
  }
  const nights = readDocuments(
    meant.map(({ value, stretches }) => ({ value, stretches })),
    (index) => meant[index]?.at ?? '',
    ({ value, stretches }, at) => {
      const runs = stageRuns(stretches, `${at}stages`, modelOf(readDocument(value, at), at));
      return sleepRecords(value, at, context, runs);
    },
  );
  const isWhole = complete && summaries.faults.length === 0;
  const days = new Set(nights.records.flatMap((record) => (record.kind === 'sleep' ? [record.localDate] : [])));
  const slept = isWhole
    ? sleepDurations(
        found.map(({ sleep }) => sleep),
        days,
      )
    : [];
  return recordsOutcome([summaries, nights, { records: hashedDays(slept, found), faults: [] }], complete);
}

function hashedDays(slept: readonly DailyRecord[], found: readonly { one: Listed; sleep: SleepRecord }[]) {
  return slept.flatMap((day) =>
    hashedRecords([day], ...found.flatMap(({ one, sleep }) => (sleep.localDate === day.localDate ? [one.value] : []))),
  );
}

/** Of one sleep; of longer than a day Withings shows only the beginning, and then none is shown. @throws EndOfRead @throws Drift */
async function stretchesOf({ start, end }: SleepRecord, context: FetchContext): Promise<readonly unknown[]> {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  if (to - from > DAY_MS) return [];
  const fields = { startdate: String(from / 1000), enddate: String(to / 1000) };
  const body = await askWithings({ ...asked, action: 'get', fields }, context);
  const series = body['series'] ?? [];
  if (!Array.isArray(series)) throw new Drift('body.series is no list');
  return series as readonly unknown[];
}
