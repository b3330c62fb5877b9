import type { HealthRecord, SleepRecord } from '@tributary/domain';
import type { ReadAt } from '../date-fields.js';
import type { Document } from '../document-fields.js';
import { type ReadDocuments, hashedRecords, readDocuments } from '../read-documents.js';
import { sleepDurations } from '../sleep-durations.js';
import { activityRecords } from './activity-records.js';
import type { GarminCollection } from './collections.js';
import { dailyRecords, hrvRecords, skinTemperatureRecords, userMetricRecords } from './daily-records.js';
import { type PartCollection, comesInParts, seriesOfDays } from './day-series.js';
import { bodyRecords, pressureRecords } from './measurement-records.js';
import { type Summary, newestOfEach } from './newest.js';
import { sleepRecords } from './sleep-records.js';

type ToRecords = (summary: Document, at: string, read: ReadAt) => HealthRecord[];

const toRecords: Readonly<Record<Exclude<GarminCollection, PartCollection>, ToRecords>> = {
  dailies: dailyRecords,
  sleeps: sleepRecords,
  userMetrics: userMetricRecords,
  hrv: hrvRecords,
  skinTemp: skinTemperatureRecords,
  activities: activityRecords,
  bodyComps: bodyRecords,
  bloodPressures: pressureRecords,
};

/**
 * Summaries to records, each by itself in its newest state; those about parts of a day together, as whole days.
 * @param summaries in the order in which they were uploaded, or else have arrived.
 * @param meant for those: whether all of the day that begins then (epoch milliseconds) is among the summaries; all unless said.
 */
export function readSummaries(
  collection: GarminCollection,
  summaries: readonly Summary[],
  read: ReadAt,
  { meant, order }: { readonly meant?: (dayStart: number) => boolean; readonly order?: 'uploaded' | 'arrived' } = {},
): ReadDocuments {
  if (comesInParts(collection)) return seriesOfDays(collection, summaries, read, meant);
  const newest = newestOfEach(collection, summaries, order);
  const nights: { summary: Document; sleep: SleepRecord }[] = [];
  const { records, faults } = readDocuments(
    newest.map(([summary]) => summary),
    (index) => newest[index]?.[1] ?? '',
    (summary, at) => {
      const made = toRecords[collection](summary, at, read);
      nights.push(...made.flatMap((sleep) => (sleep.kind === 'sleep' ? [{ summary, sleep }] : [])));
      return made;
    },
  );
  return { records: [...records, ...timeSlept(nights)], faults };
}

/** Of each day of which a night was told. */
function timeSlept(nights: readonly { readonly summary: Document; readonly sleep: SleepRecord }[]): HealthRecord[] {
  const days = new Set(nights.map(({ sleep }) => sleep.localDate));
  const slept = sleepDurations(
    nights.map(({ sleep }) => sleep),
    days,
  );
  return slept.flatMap((day) => {
    const documents = nights.flatMap(({ summary, sleep }) => (sleep.localDate === day.localDate ? [summary] : []));
    return hashedRecords([{ ...day, providerRecordId: `sleeps/${day.localDate}` }], ...documents);
  });
}
