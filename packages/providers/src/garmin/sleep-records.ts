import {
  type Dated,
  type HealthRecord,
  type SessionSpan,
  type SleepDetail,
  type SleepRecord,
  type SleepStage,
  type StageRun,
  derivedRecordId,
  providerDay,
  roundTo,
  sleepDate,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { dailyValue } from '../quantities.js';
import { readEpoch, readLabel, readMeasured, readOffset, readOffsets, sourceOf } from './summary-fields.js';

const LONGEST_MS = 30 * 3_600_000;

const stages = { deep: 'deep', light: 'light', rem: 'rem', awake: 'awake', unmeasurable: 'unknown' } as const satisfies Record<
  string,
  SleepStage
>;

/** Its beginning and end. What was lain awake comes on top of the duration, which is the time asleep and unmeasured. @throws Drift */
export function nightSpan(summary: Document, at: string): SessionSpan & { readonly durationS: number; readonly awakeS: number } {
  const start = readEpoch(summary, 'startTimeInSeconds', at);
  const durationS = readMeasured(summary, 'durationInSeconds', at);
  if (durationS === null) throw new Drift(`${at}durationInSeconds is no number`);
  const awakeS = readMeasured(summary, 'awakeDurationInSeconds', at) ?? 0;
  const end = start + (durationS + awakeS) * 1000;
  if (end - start > LONGEST_MS) throw new Drift(`${at}durationInSeconds is out of any possible range`);
  return { sourceId: sourceOf(summary, at).id, start, end, durationS, awakeS };
}

/** A night, what was measured over it, and the naps that Garmin tells with it. @param at path of the summary, ending in a dot. @throws Drift */
export function sleepRecords(summary: Document, at: string, read: ReadAt): HealthRecord[] {
  const span = nightSpan(summary, at);
  const offsetS = readOffset(summary, 'startTimeOffsetInSeconds', at);
  const seconds = (name: string) => {
    const value = readMeasured(summary, name, at);
    return value === null ? null : roundTo(value, 0);
  };
  const [light, deep] = [seconds('lightSleepDurationInSeconds'), seconds('deepSleepDurationInSeconds')];
  // The manual's name is another one than the wire's, which goes first.
  const rem = seconds('remSleepInSeconds') ?? seconds('remSleepDurationInSeconds');
  const staged = Boolean(light) || Boolean(deep) || Boolean(rem);
  const durationS = roundTo(span.durationS, 0);
  // A night of nothing measured has no time asleep, rather than none asleep.
  const asleepS = staged ? Math.max(durationS - (seconds('unmeasurableSleepInSeconds') ?? 0), 0) : null;
  const inBedS = roundTo(span.durationS + span.awakeS, 0);
  const tentative = (readText(summary, 'validation', at) ?? '').endsWith('TENTATIVE');
  const breaths = measuredOver(summary, { single: 'respirationAvg', over: 'timeOffsetSleepRespiration' }, at);
  const oxygen = measuredOver(summary, { single: 'avgOxygenSaturation', over: 'timeOffsetSleepSpo2' }, at);
  const session = { label: readLabel(summary, at), ...span, offsetS, says: tentative ? ('tentative' as const) : undefined };
  const night = sleepOf(summary, session, at, read, {
    ...nothingMeasured,
    isMain: true,
    isNap: false,
    inBedS,
    asleepS,
    awakeS: staged ? seconds('awakeDurationInSeconds') : null,
    lightS: staged ? light : null,
    deepS: staged ? deep : null,
    remS: staged ? rem : null,
    efficiencyPct: asleepS !== null && inBedS > 0 ? roundTo((asleepS / inBedS) * 100, 1) : null,
    respiratoryRate: breaths.mean === null ? null : roundTo(breaths.mean, 1),
    stages: stageRuns(readDocument(summary['sleepLevelsMap'] ?? {}, `${at}sleepLevelsMap.`), `${at}sleepLevelsMap.`),
  });
  const { kind: _kind, start: _start, end: _end, endUtcOffsetS: _offset, detail: _detail, ...dated } = night;
  const day: Dated = { ...dated, providerRecordId: `sleeps/${night.localDate}` };
  const scoreAt = `${at}overallSleepScore.`;
  const score = readMeasured(readDocument(summary['overallSleepScore'] ?? {}, scoreAt), 'value', scoreAt);
  const percent = (value: number | null) => (value === null ? null : ({ value, unit: '%' } as const));
  return [
    night,
    ...dailyValue('vendor.garmin.sleep_score', score === null ? null : { value: score, unit: '{score}' }, day, `${scoreAt}value`),
    ...dailyValue('respiratory_rate_night', breaths.mean === null ? null : { value: breaths.mean, unit: '/min' }, day, breaths.path),
    ...dailyValue('spo2_night_avg', percent(oxygen.mean), day, oxygen.path),
    ...dailyValue('spo2_night_min', percent(oxygen.min), day, oxygen.path),
    ...naps(summary, at, read),
  ];
}

const nothingMeasured = {
  latencyS: null,
  hrAvg: null,
  hrMin: null,
  hrvRmssd: null,
  respiratoryRate: null,
  awakeS: null,
  lightS: null,
  deepS: null,
  remS: null,
  efficiencyPct: null,
  stages: [],
} as const;

interface Session {
  readonly label: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly offsetS: number | undefined;
  readonly says?: 'tentative' | undefined;
}

/** Garmin's ids of sleeps end in their length: by its beginning, to the minute, it stays the same one as it grows. @throws Drift */
function sleepOf(summary: Document, session: Session, at: string, { now, whereabouts }: ReadAt, detail: SleepDetail): SleepRecord {
  const { label, start, end, offsetS, says } = session;
  const source = sourceOf(summary, at);
  const clues = { label, labelShift: 0, start, end, startOffsetS: offsetS, endOffsetS: offsetS, zone: undefined };
  const date = sleepDate(clues, whereabouts);
  if (date === undefined) throw new Drift(`${at}startTimeInSeconds is no instant`);
  return {
    kind: 'sleep',
    ...dateFields(date, providerDay('garmin', 'sleeps', []), { now, providerSays: says, end }),
    providerRecordId: derivedRecordId({ sourceId: source.id, start, end }),
    source,
    version: undefined,
    // Not told how far it reaches: the night that Garmin has finished with may be shorter than the one before, and is right.
    coverageEnd: undefined,
    endUtcOffsetS: date.endUtcOffsetS,
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    detail,
  };
}

/** Naps have their own clock, and are told again with every state of the night. @throws Drift */
function naps(summary: Document, at: string, read: ReadAt): SleepRecord[] {
  const list = summary['naps'] ?? [];
  if (!Array.isArray(list)) throw new Drift(`${at}naps is no list`);
  return list.map((value: unknown, index) => {
    const path = `${at}naps[${index}].`;
    const nap = readDocument(value, path);
    const start = readEpoch(nap, 'napStartTimeInSeconds', path);
    const durationS = readMeasured(nap, 'napDurationInSeconds', path);
    if (durationS === null || durationS * 1000 > LONGEST_MS) throw new Drift(`${path}napDurationInSeconds is out of any possible range`);
    const offsetS = readOffset(nap, 'napOffsetInSeconds', path) ?? readOffset(summary, 'startTimeOffsetInSeconds', at);
    const asleepS = roundTo(durationS, 0);
    const session = { label: undefined, start, end: start + durationS * 1000, offsetS };
    return sleepOf(summary, session, at, read, { ...nothingMeasured, isMain: false, isNap: true, inBedS: asleepS, asleepS });
  });
}

/** Garmin's own mean where it gives one, else that of its samples, which are a minute apart. @throws Drift */
function measuredOver(summary: Document, { single, over }: { readonly single: string; readonly over: string }, at: string) {
  const samples = readOffsets(summary, over, at).flatMap(([, value]) => (value > 0 ? [value] : []));
  const own = readMeasured(summary, single, at) || null;
  return {
    mean: own ?? (samples.length === 0 ? null : samples.reduce((sum, value) => sum + value, 0) / samples.length),
    min: samples.length === 0 ? null : Math.min(...samples),
    path: at + (own === null ? over : single),
  };
}

function stageRuns(levels: Document, at: string): StageRun[] {
  const runs = Object.entries(stages).flatMap(([name, stage]) => {
    const list = levels[name];
    if (list === undefined || list === null) return [];
    if (!Array.isArray(list)) throw new Drift(`${at}${name} is no list`);
    return list.map((value: unknown, index): StageRun => {
      const path = `${at}${name}[${index}].`;
      const run = readDocument(value, path);
      const [start, end] = (['startTimeInSeconds', 'endTimeInSeconds'] as const).map((field) => readEpoch(run, field, path));
      return { start: new Date(start as number).toISOString(), end: new Date(end as number).toISOString(), stage };
    });
  });
  return runs.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
}
