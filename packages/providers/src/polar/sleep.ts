import { type HealthRecord, type SleepStage, type StageRun, providerDay, roundTo, sleepDate } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readInstant } from '../document-fields.js';
import { Drift } from '../drift.js';
import { dailyValue, readQuantity } from '../quantities.js';
import { polarWatch, readAmount, readDay, readUnderscored } from './fields.js';

const LONGEST_MS = 30 * 3_600_000;
const DAY_MS = 86_400_000;

/** Codes of the hypnogram; 2 and 3 are two depths of light sleep. */
const stageOf: readonly SleepStage[] = ['awake', 'rem', 'light', 'light', 'deep', 'unknown'];

/**
 * One night under the day of waking, and its score. It begins with falling asleep: how long somebody lay in bed is not told, nor so how
 * well they used it.
 * @throws Drift naming the path.
 */
export function sleepRecords(value: unknown, at: string, read: ReadAt): HealthRecord[] {
  const document = readUnderscored(value, at);
  const label = readDay(document, 'date', at);
  const day = providerDay('polar', 'sleep', []);
  const start = readInstant(document, 'sleep_start_time', at);
  const end = readInstant(document, 'sleep_end_time', at);
  if (end.ms < start.ms) throw new Drift(`${at}sleep_end_time is before sleep_start_time`);
  if (end.ms - start.ms > LONGEST_MS) throw new Drift(`${at}sleep_end_time is out of any possible range`);
  const seconds = (field: string) => {
    const amount = readAmount(document, field, at);
    return amount === null ? null : roundTo(amount, 0);
  };
  const lightS = seconds('light_sleep');
  const deepS = seconds('deep_sleep');
  const remS = seconds('rem_sleep');
  const unknownS = seconds('unrecognized_sleep_stage') ?? 0;
  // Sleep without any stage means that stages were not measured.
  const staged = Boolean(lightS || deepS || remS);
  const asleepS = lightS === null || deepS === null || remS === null ? null : lightS + deepS + remS + unknownS;
  const clues = { label, labelShift: day.labelShift, start: start.ms, end: end.ms, zone: undefined };
  const date = sleepDate({ ...clues, startOffsetS: start.offsetS, endOffsetS: end.offsetS }, read.whereabouts);
  if (date === undefined) throw new Drift(`${at}sleep_end_time is no instant with an offset`);
  const dated = {
    providerRecordId: `sleep/${label}`,
    source: polarWatch,
    ...dateFields(date, day, { now: read.now, end: end.ms, endOffsetS: end.offsetS }),
    version: undefined,
    coverageEnd: end.ms,
  } as const;
  const slept = asleepS === null || asleepS === 0 ? null : ({ value: asleepS, unit: 's' } as const);
  return [
    {
      kind: 'sleep',
      ...dated,
      start: new Date(start.ms).toISOString(),
      end: new Date(end.ms).toISOString(),
      endUtcOffsetS: date.endUtcOffsetS,
      detail: {
        isMain: true,
        isNap: false,
        inBedS: null,
        asleepS: slept === null ? null : slept.value,
        awakeS: seconds('total_interruption_duration'),
        lightS: staged ? lightS : null,
        deepS: staged ? deepS : null,
        remS: staged ? remS : null,
        latencyS: null,
        efficiencyPct: null,
        hrAvg: null,
        hrMin: null,
        hrvRmssd: null,
        respiratoryRate: null,
        stages: stageRuns(document, at, { start, endMs: end.ms }),
      },
    },
    ...dailyValue('sleep_duration', slept, dated, `${at}light_sleep`),
    ...dailyValue('vendor.polar.sleep_score', readQuantity(document, 'sleep_score', '{score}', at), dated, `${at}sleep_score`),
  ];
}

/** `HH:MM` on the wall at which each stage begins, of the evening or of the morning after; it goes on until the next one. */
function stageRuns(
  document: Document,
  at: string,
  { start, endMs }: { start: { ms: number; offsetS: number }; endMs: number },
): StageRun[] {
  const given = document['hypnogram'];
  if (given === undefined || given === null) return [];
  const wallMidnight = Math.floor((start.ms + start.offsetS * 1000) / DAY_MS) * DAY_MS - start.offsetS * 1000;
  const begun = Object.entries(readUnderscored(given, `${at}hypnogram.`))
    .map(([clock, code]) => {
      const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(clock);
      const stage = typeof code === 'number' ? stageOf[code] : undefined;
      if (match === null || stage === undefined) throw new Drift(`${at}hypnogram holds no clock time with a stage`);
      const ms = wallMidnight + (Number(match[1]) * 60 + Number(match[2])) * 60_000;
      // The clock has whole minutes: the first stage may stand just before the start.
      return { ms: ms < start.ms - 60_000 ? ms + DAY_MS : Math.max(ms, start.ms), stage };
    })
    .filter(({ ms }) => ms < endMs)
    .sort((a, b) => a.ms - b.ms);
  const runs: StageRun[] = [];
  for (const [index, { ms, stage }] of begun.entries()) {
    const end = new Date(begun[index + 1]?.ms ?? endMs).toISOString();
    const last = runs.at(-1);
    if (last?.stage === stage) runs[runs.length - 1] = { ...last, end };
    else runs.push({ start: new Date(ms).toISOString(), end, stage });
  }
  return runs;
}
