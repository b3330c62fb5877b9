import { type HealthRecord, type SleepRecord, roundTo } from '@tributary/domain';
import { readDocument } from '../document-fields.js';
import { dailyValue } from '../quantities.js';
import { readDate } from './activity.js';
import { inUnit, readAmount, readListId, readModified, readRate, readSpan, rounded, sourceOf } from './fields.js';

const LONGEST_MS = 30 * 3_600_000;
/** Withings does not tell nights from naps: a sleep of under three hours in bed counts as a nap, as at Oura. */
const NAP_S = 3 * 3600;

/**
 * One summary of a sleep; `date` is the day of waking. It has no stages in time, and its two halves of a night's RMSSD are no value of
 * the night, so neither is made up.
 * @throws Drift naming the path.
 */
export function sleepRecords(value: unknown, at: string): HealthRecord[] {
  const document = readDocument(value, at);
  const { startMs, endMs, zone, ...span } = readSpan(document, at, LONGEST_MS);
  const localDate = readDate(document, at);
  const data = readDocument(document['data'] ?? {}, `${at}data.`);
  const dataAt = `${at}data.`;
  const seconds = (field: string) => rounded(readAmount(data, field, dataAt), 0);
  const rate = (field: string) => rounded(readRate(data, field, dataAt), 1);
  const inBedS = seconds('total_timeinbed') ?? Math.round((endMs - startMs) / 1000);
  const lightS = seconds('lightsleepduration');
  const deepS = seconds('deepsleepduration');
  const remS = seconds('remsleepduration');
  const staged = lightS === null || deepS === null || remS === null ? null : lightS + deepS + remS;
  const asleepS = seconds('total_sleep_time') ?? staged;
  // Sleep without any stage means that stages were not measured.
  const unstaged = asleepS !== null && asleepS > 0 && !lightS && !deepS && !remS;
  const isNap = inBedS < NAP_S;
  const version = readModified(document, at);
  const record: SleepRecord = {
    kind: 'sleep',
    providerRecordId: readListId(document, 'id', at),
    source: sourceOf(document, at),
    localDate,
    dateBasis: 'provider_date',
    dayModel: 'night',
    utcOffsetS: span.utcOffsetS,
    endUtcOffsetS: span.endUtcOffsetS,
    provisional: document['completed'] === false,
    version,
    start: span.start,
    end: span.end,
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
      stages: [],
    },
  };
  if (isNap) return [record];
  const { kind: _kind, start: _start, end: _end, endUtcOffsetS: _offset, detail: _detail, ...dated } = record;
  return [
    record,
    ...dailyValue('respiratory_rate_night', inUnit(readRate(data, 'rr_average', dataAt), '/min'), dated, `${dataAt}rr_average`),
    ...dailyValue('vendor.withings.sleep_score', inUnit(readAmount(data, 'sleep_score', dataAt), '{score}'), dated, `${dataAt}sleep_score`),
  ];
}
