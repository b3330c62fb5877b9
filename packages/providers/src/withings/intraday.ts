import {
  type CivilDate,
  type Dated,
  type FetchOutcome,
  type HealthRecord,
  type SeriesMetric,
  type Source,
  addDays,
  canonical,
  endOfDay,
  isZone,
  providerDay,
  rangeOf,
  seriesMetrics,
  startOfDay,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument } from '../document-fields.js';
import { Drift } from '../drift.js';
import { countsSeries, instantsSeries } from '../interval-series.js';
import type { FetchContext } from '../provider.js';
import { type ReadDocuments, readDocuments, recordsOutcome } from '../read-documents.js';
import { withingsCollections } from './collections.js';
import { readAmount, readDay, readRate, sourceOf } from './fields.js';
import { askWithings, readList } from './listing.js';
import { type Span, daysOf } from './spans.js';

const DAY_MS = 86_400_000;
/** A notice without any span: what changed is rarely older. */
const WHOLE_DAYS = 3;
/** Where a stretch of steps does not say how long it was. */
const USUAL_S = 60;

const { scope } = withingsCollections.intraday;
const asked = { path: '/v2/measure', scope } as const;

interface DayOfEntries {
  readonly date: CivilDate;
  readonly entries: readonly (readonly [seconds: string, entry: unknown])[];
}

/**
 * Heart rate and steps over each day of a window. Only the totals of a day say in which zone it was, so these are asked first; a day without
 * any has no samples either. A day is read from its first instant to its last, in as many calls as it takes: one call shows no more
 * than 24 hours, and a day may have 25.
 */
export async function readIntraday(window: Span, context: FetchContext): Promise<FetchOutcome> {
  const { from, to } = civilDays(window, context.now);
  const fields = { ...daysOf({ kind: 'days', from, to }, 1), data_fields: 'steps' };
  const totals = await readList({ ...asked, action: 'getactivity', list: 'activities', fields }, context);
  const dates = new Map<string, CivilDate>();
  const labels = readDocuments(
    totals.listed.map(({ value }) => value),
    (index) => totals.listed[index]?.at ?? '',
    (value, at) => {
      const date = readDay(readDocument(value, at), at, context.whereabouts);
      if (date.localDate >= from && date.localDate < to && !dates.has(date.localDate)) dates.set(date.localDate, date);
      return [];
    },
  );
  const days: DayOfEntries[] = [];
  for (const date of dates.values()) {
    if (date.timeZone !== undefined && isZone(date.timeZone)) days.push({ date, entries: await entriesOf(date, date.timeZone, context) });
  }
  const series = readDocuments(
    days.map(({ entries }) => entries),
    () => 'body.series.',
    (entries, at) => days.filter((day) => day.entries === entries).flatMap((day) => intradayRecords(day, at, context)),
  );
  const reads: ReadDocuments[] = [labels, series];
  return recordsOutcome(reads, totals.complete);
}

function civilDays(window: Span, now: number): { readonly from: string; readonly to: string } {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  if (window.kind === 'whole') return { from: dayOf(now - WHOLE_DAYS * DAY_MS), to: dayOf(now + 2 * DAY_MS) };
  if (window.kind === 'days') return { from: window.from, to: window.to };
  // A day more on each side, as its zone is not known yet.
  return { from: addDays(window.from.slice(0, 10), -1), to: addDays(window.to.slice(0, 10), 2) };
}

async function entriesOf({ localDate }: CivilDate, zone: string, context: FetchContext): Promise<DayOfEntries['entries']> {
  const [start, end] = [startOfDay(localDate, zone), endOfDay(localDate, zone)];
  const entries: (readonly [string, unknown])[] = [];
  for (let from = start; from < end; from += DAY_MS) {
    const to = Math.min(from + DAY_MS, end);
    const fields = { startdate: String(from / 1000), enddate: String(to / 1000), data_fields: 'steps,duration,heart_rate' };
    const body = await askWithings({ ...asked, action: 'getintradayactivity', fields }, context);
    // PHP writes an object without fields as a list.
    const series = Array.isArray(body['series']) && body['series'].length === 0 ? {} : readDocument(body['series'] ?? {}, 'body.series.');
    entries.push(...Object.entries(series).filter(([seconds]) => Number(seconds) * 1000 >= from && Number(seconds) * 1000 < to));
  }
  return entries;
}

/** All samples of one day, by source. Without a version of their own. @throws Drift */
export function intradayRecords({ date, entries }: DayOfEntries, at: string, { now }: ReadAt): HealthRecord[] {
  const bySource = new Map<string, { source: Source; read: { ms: number; entry: Document; path: string }[] }>();
  for (const [seconds, value] of entries) {
    if (!/^\d{1,12}$/.test(seconds)) throw new Drift(`${at}key is no time in seconds`);
    const path = `${at}${seconds}.`;
    const entry = readDocument(value, path);
    const source = sourceOf(entry, path);
    const held = bySource.get(source.id) ?? { source, read: [] };
    held.read.push({ ms: Number(seconds) * 1000, entry, path });
    bySource.set(source.id, held);
  }
  return [...bySource.values()].flatMap(({ source, read }): HealthRecord[] => {
    const beats = read.flatMap(({ ms, entry, path }) => {
      const rate = readRate(entry, 'heart_rate', path);
      const value = rate === null ? null : canonical(seriesMetrics.heart_rate, { value: rate, unit: '/min' });
      return value === null || rangeOf(seriesMetrics.heart_rate, value) === 'impossible' ? [] : [{ ms, value }];
    });
    const steps = read.flatMap(({ ms, entry, path }) => {
      const value = readAmount(entry, 'steps', path);
      return value === null ? [] : [{ ms, value, durationS: readAmount(entry, 'duration', path) ?? USUAL_S }];
    });
    const ends = [...beats.map(({ ms }) => ms), ...steps.map(({ ms, durationS }) => ms + durationS * 1000)];
    const dated = (metric: SeriesMetric): Dated => ({
      ...dateFields(date, providerDay('withings', 'intraday', []), { now }),
      providerRecordId: `${metric}/${date.localDate}`,
      source,
      version: undefined,
      coverageEnd: Math.max(...ends),
    });
    const made = (metric: SeriesMetric, samples: ReturnType<typeof countsSeries>): HealthRecord[] =>
      samples === undefined ? [] : [{ ...dated(metric), kind: 'series', metric, workoutId: undefined, samples }];
    return [...made('heart_rate', instantsSeries(beats)), ...made('steps_intraday', countsSeries(steps))];
  });
}
