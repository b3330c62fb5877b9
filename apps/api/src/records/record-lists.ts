import {
  type DailyValueRow,
  type MeasurementShown,
  type SeriesShown,
  type SleepShown,
  type WorkoutShown,
  listDailyValues,
  listMeasurements,
  listSeries,
  listSleepSessions,
  listWorkouts,
} from '@tributary/storage';
import type { z } from 'zod';
import { columnsOf } from './record-columns.js';
import type { RecordList } from './record-list.js';
import { dailyValue, measurement, series, sleepSession, workout } from './record.js';
import { resolvedLists } from './resolved-lists.js';
import { showDailyValue, showMeasurement, showSeries, showSleepSession, showWorkout } from './show-record.js';
import { writeDailyValues } from './write-daily-values.js';
import { type EntryWriter, csvWriter } from './write-entries.js';

type Shape = z.ZodObject;

/** Samples of one series, each a row of its own. */
function samplesOf(entry: unknown): object[] {
  const { record, ...rest } = entry as z.infer<typeof series>;
  const from = Date.parse(record.from);
  return record.offsetsS.map((offset, n) => ({
    ...rest,
    record: { unit: record.unit, intervalS: record.intervalS, implausible: record.implausible },
    at: new Date(from + offset * 1000).toISOString(),
    value: record.values[n],
  }));
}

const ofSample = [
  { header: 'at', path: ['at'] },
  { header: 'value', path: ['value'] },
];

/** What only events have. */
const ofEvents = ['view', 'links'];

/** First whose it is, then what. The view's reasons are wide; the table has the rule, and JSON the rest. */
function csvOf(shape: Shape): Record<'source' | 'resolved', EntryWriter> {
  const whose = { header: 'userId', path: ['userId'] };
  const columns = columnsOf(shape, ['resolution', 'userId', ...ofEvents]);
  const view = [
    { header: 'resolution.rule', path: ['resolution', 'rule'] },
    { header: 'resolution.derivation', path: ['resolution', 'derivation'] },
  ];
  return { source: csvWriter([whose, ...columns]), resolved: csvWriter([whose, ...columns, ...view]) };
}

function csvOfSeries(): Record<'source' | 'resolved', EntryWriter> {
  const columns = columnsOf(series, [
    'resolution',
    'userId',
    ...ofEvents,
    'sampleCount',
    'record.from',
    'record.offsetsS',
    'record.values',
  ]);
  const writer = csvWriter([{ header: 'userId', path: ['userId'] }, ...columns, ...ofSample], samplesOf);
  return { source: writer, resolved: writer };
}

const daily: RecordList<DailyValueRow> = {
  source: {
    name: 'daily',
    places: 5,
    list: listDailyValues,
    show: showDailyValue,
    write: writeDailyValues,
    place: (row) => [row.userId, row.localDate, row.metric, row.provider, row.sourceId],
  },
  resolved: resolvedLists.daily,
  slice: 500,
  csv: csvOf(dailyValue),
};

const sleep: RecordList<SleepShown> = {
  source: {
    name: 'sleep',
    places: 5,
    list: listSleepSessions,
    show: showSleepSession,
    place: (row) => [row.userId, row.localDate, row.provider, row.sourceId, row.recordId],
  },
  resolved: resolvedLists.sleep,
  slice: 100,
  csv: csvOf(sleepSession),
};

const workouts: RecordList<WorkoutShown> = {
  source: { places: sleep.source.places, name: 'workouts', list: listWorkouts, show: showWorkout, place: sleep.source.place as never },
  resolved: resolvedLists.workouts,
  slice: 500,
  csv: csvOf(workout),
};

const measurements: RecordList<MeasurementShown> = {
  source: {
    name: 'measurements',
    places: 6,
    list: listMeasurements,
    show: showMeasurement,
    place: (row) => [row.userId, row.localDate, row.metric, row.provider, row.sourceId, row.recordId],
  },
  resolved: resolvedLists.measurements,
  slice: 500,
  csv: csvOf(measurement),
};

const seriesList: RecordList<SeriesShown> = {
  source: {
    name: 'series',
    places: 6,
    list: listSeries,
    show: showSeries,
    place: (row) => [row.userId, row.localDate, row.metric, row.provider, row.sourceId, row.item],
  },
  resolved: resolvedLists.series,
  slice: 8,
  csv: csvOfSeries(),
};

export const recordLists = { daily, sleep, workouts, measurements, series: seriesList };

export type ListedKind = keyof typeof recordLists;
