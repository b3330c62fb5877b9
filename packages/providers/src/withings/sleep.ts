import {
  type Dated,
  type HealthRecord,
  type SleepRecord,
  type SleepStage,
  type StageRun,
  providerDay,
  roundTo,
  sleepDate,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { readDocument, readNumber } from '../document-fields.js';
import { Drift } from '../drift.js';
import { dailyValue } from '../quantities.js';
import { inUnit, modelOf, readAmount, readEpoch, readListId, readModified, readRate, readSession, rounded, sourceOf } from './fields.js';

const LONGEST_MS = 30 * 3_600_000;
/** Withings does not tell nights from naps: a sleep of under three hours in bed counts as a nap, as at Oura. */
const NAP_S = 3 * 3600;

/** `state` of a stretch of a sleep; 4 is what a person typed in. */
const stages: readonly SleepStage[] = ['awake', 'light', 'deep', 'rem', 'asleep', 'unknown'];

/**
 * One summary of a sleep; `date` is the day of waking. Its two halves of a night's RMSSD are no value of the night, so none is made up.
 * @param runs its stages, which come from another list; empty where Withings has none.
 * @throws Drift naming the path.
 */
export function sleepRecords(value: unknown, at: string, { now, whereabouts }: ReadAt, runs: readonly StageRun[] = []): HealthRecord[] {
  const document = readDocument(value, at);
  const session = readSession(document, at, LONGEST_MS);
  const { start, end } = session;
  const date = sleepDate(session, whereabouts);
  if (date === undefined) throw new Drift(`${at}enddate is no instant`);
  const data = readDocument(document['data'] ?? {}, `${at}data.`);
  const dataAt = `${at}data.`;
  const seconds = (field: string) => rounded(readAmount(data, field, dataAt), 0);
  const rate = (field: string) => rounded(readRate(data, field, dataAt), 1);
  const inBedS = seconds('total_timeinbed') ?? Math.round((end - start) / 1000);
  const lightS = seconds('lightsleepduration');
  const deepS = seconds('deepsleepduration');
  const remS = seconds('remsleepduration');
  const staged = lightS === null || deepS === null || remS === null ? null : lightS + deepS + remS;
  const asleepS = seconds('total_sleep_time') ?? staged;
  // Sleep without any stage means that stages were not measured.
  const unstaged = asleepS !== null && asleepS > 0 && !lightS && !deepS && !remS;
  const isNap = inBedS < NAP_S;
  const says = document['completed'] === false ? 'open' : undefined;
  const dated: Dated = {
    ...dateFields(date, providerDay('withings', 'sleep', []), { now, closes: 'at_once', providerSays: says, end }),
    providerRecordId: readListId(document, 'id', at),
    source: sourceOf(document, at),
    version: readModified(document, at),
    coverageEnd: end,
  };
  const record: SleepRecord = {
    ...dated,
    kind: 'sleep',
    endUtcOffsetS: date.endUtcOffsetS,
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    detail: {
      isMain: !isNap,
      isNap,
      inBedS,
      asleepS,
      awakeS: seconds('wakeupduration'),
      lightS: unstaged ? null : lightS,
      deepS: unstaged ? null : deepS,
      remS: unstaged ? null : remS,
      latencyS: seconds('sleep_latency'),
      efficiencyPct: inBedS > 0 && asleepS !== null ? roundTo((asleepS / inBedS) * 100, 1) : null,
      hrAvg: rate('hr_average'),
      hrMin: rate('hr_min'),
      hrvRmssd: null,
      respiratoryRate: rate('rr_average'),
      stages: runs,
    },
  };
  if (isNap) return [record];
  return [
    record,
    ...dailyValue('respiratory_rate_night', inUnit(readRate(data, 'rr_average', dataAt), '/min'), dated, `${dataAt}rr_average`),
    ...dailyValue('vendor.withings.sleep_score', inUnit(readAmount(data, 'sleep_score', dataAt), '{score}'), dated, `${dataAt}sleep_score`),
  ];
}

/**
 * Stages of one sleep, from the list of its stretches. A mat and a watch may both have seen it: only those of its own model count.
 * @throws Drift naming the path.
 */
export function stageRuns(values: readonly unknown[], at: string, model: number | null): StageRun[] {
  const runs = values.flatMap((value, index): StageRun[] => {
    const path = `${at}[${index}].`;
    const stretch = readDocument(value, path);
    const of = modelOf(stretch, path);
    if (model !== null && of !== null && of !== model) return [];
    const [start, end] = [readEpoch(stretch, 'startdate', path), readEpoch(stretch, 'enddate', path)];
    if (end < start) throw new Drift(`${path}enddate is before startdate`);
    const stage = stages[readNumber(stretch, 'state', path) ?? -1] ?? 'unknown';
    return [{ start: new Date(start).toISOString(), end: new Date(end).toISOString(), stage }];
  });
  return runs.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
}
