import {
  type HealthRecord,
  type SleepRecord,
  type SleepStage,
  type StageRun,
  type WorkoutRecord,
  closesAt,
  roundTo,
  sportOf,
} from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { dailyValue } from '../quantities.js';
import { dateOf, readEpoch, readMeasured, readOffset, readSummaryId, sourceOf } from './summary-fields.js';

/** People with several devices may never get a final night: after this it is taken as one. */
const TENTATIVE_MS = 48 * 3_600_000;
const LONGEST_SLEEP_MS = 30 * 3_600_000;
const LONGEST_WORKOUT_MS = 7 * 86_400_000;

const stages = { deep: 'deep', light: 'light', rem: 'rem', awake: 'awake', unmeasurable: 'unknown' } as const satisfies Record<
  string,
  SleepStage
>;

/** A night, and Garmin's own score of it. @param at path of the summary, ending in a dot. @param now epoch milliseconds. @throws Drift */
export function sleepRecords(summary: Document, at: string, now: number): HealthRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const offsetS = readOffset(summary, 'startTimeOffsetInSeconds', at);
  const seconds = (name: string) => {
    const value = readMeasured(summary, name, at);
    return value === null ? null : roundTo(value, 0);
  };
  // The time asleep and unmeasured; what was lain awake comes on top.
  const durationS = seconds('durationInSeconds');
  if (durationS === null) throw new Drift(`${at}durationInSeconds is no number`);
  const awakeS = seconds('awakeDurationInSeconds');
  const end = ms + (durationS + (awakeS ?? 0)) * 1000;
  if (end - ms > LONGEST_SLEEP_MS) throw new Drift(`${at}durationInSeconds is out of any possible range`);
  const [light, deep] = [seconds('lightSleepDurationInSeconds'), seconds('deepSleepDurationInSeconds')];
  // The manual's name is another one than the wire's, which goes first.
  const rem = seconds('remSleepInSeconds') ?? seconds('remSleepDurationInSeconds');
  const staged = Boolean(light) || Boolean(deep) || Boolean(rem);
  // A night of nothing measured has no time asleep, rather than none asleep.
  const asleepS = staged ? Math.max(durationS - (seconds('unmeasurableSleepInSeconds') ?? 0), 0) : null;
  const inBedS = durationS + (awakeS ?? 0);
  const { localDate, dateBasis } = dateOf(summary, { ms: end, offsetS }, at);
  const tentative = (readText(summary, 'validation', at) ?? '').endsWith('TENTATIVE');
  const dated = {
    // Its id ends in its length; where it begins stays.
    providerRecordId: `sleeps/${Math.floor(ms / 1000)}`,
    source: sourceOf(summary, at),
    localDate,
    dateBasis,
    dayModel: 'night',
    utcOffsetS: offsetS,
    provisional: (tentative && now < end + TENTATIVE_MS) || now < closesAt(localDate, offsetS, 0),
    version: undefined,
  } as const;
  const record: SleepRecord = {
    ...dated,
    kind: 'sleep',
    endUtcOffsetS: offsetS,
    start: new Date(ms).toISOString(),
    end: new Date(end).toISOString(),
    detail: {
      isMain: true,
      isNap: false,
      inBedS,
      asleepS,
      awakeS: staged ? awakeS : null,
      lightS: staged ? light : null,
      deepS: staged ? deep : null,
      remS: staged ? rem : null,
      latencyS: null,
      efficiencyPct: asleepS !== null && inBedS > 0 ? roundTo((asleepS / inBedS) * 100, 1) : null,
      hrAvg: null,
      hrMin: null,
      hrvRmssd: null,
      respiratoryRate: readMeasured(summary, 'respirationAvg', at),
      stages: stageRuns(readDocument(summary['sleepLevelsMap'] ?? {}, `${at}sleepLevelsMap.`), `${at}sleepLevelsMap.`),
    },
  };
  const score = readMeasured(
    readDocument(summary['overallSleepScore'] ?? {}, `${at}overallSleepScore.`),
    'value',
    `${at}overallSleepScore.`,
  );
  const scored = { ...dated, providerRecordId: `sleeps/${localDate}` };
  return [
    record,
    ...dailyValue(
      'vendor.garmin.sleep_score',
      score === null ? null : { value: score, unit: '{score}' },
      scored,
      `${at}overallSleepScore.value`,
    ),
  ];
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
  return runs.sort((a, b) => (a.start < b.start ? -1 : 1));
}

const cadences = ['averageRunCadenceInStepsPerMinute', 'averageBikeCadenceInRoundsPerMinute', 'averageSwimCadenceInStrokesPerMinute'];

/** It belongs to the day on which it began, by the watch. @throws Drift */
export function activityRecords(summary: Document, at: string): WorkoutRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const offsetS = readOffset(summary, 'startTimeOffsetInSeconds', at);
  const number = (name: string, decimals: number) => {
    const value = readMeasured(summary, name, at);
    return value === null ? null : roundTo(value, decimals);
  };
  const elapsedS = number('durationInSeconds', 0);
  if (elapsedS === null) throw new Drift(`${at}durationInSeconds is no number`);
  if (elapsedS * 1000 > LONGEST_WORKOUT_MS) throw new Drift(`${at}durationInSeconds is out of any possible range`);
  const { localDate, dateBasis } = dateOf(summary, { ms, offsetS }, at);
  const providerSport = readText(summary, 'activityType', at) ?? '';
  return [
    {
      kind: 'workout',
      providerRecordId: readSummaryId(summary, at),
      source: sourceOf(summary, at),
      localDate,
      dateBasis,
      dayModel: 'civil',
      utcOffsetS: offsetS,
      endUtcOffsetS: offsetS,
      provisional: dateBasis === 'utc_assumed',
      version: undefined,
      start: new Date(ms).toISOString(),
      end: new Date(ms + elapsedS * 1000).toISOString(),
      detail: {
        ...sportOf('garmin', providerSport),
        providerSport,
        elapsedS,
        activeS: null,
        distanceM: number('distanceInMeters', 1),
        elevationGainM: number('totalElevationGainInMeters', 1),
        activeEnergyKcal: number('activeKilocalories', 1),
        totalEnergyKcal: null,
        workKj: null,
        hrAvg: number('averageHeartRateInBeatsPerMinute', 1),
        hrMax: number('maxHeartRateInBeatsPerMinute', 1),
        hrZonesS: null,
        powerAvgW: number('averagePowerInWatts', 1),
        cadenceAvg: cadences.map((name) => number(name, 1)).find((value) => value !== null) ?? null,
        steps: number('steps', 0),
        manual: summary['manual'] === true,
        hasRoute: typeof summary['startingLatitudeInDegree'] === 'number',
        hasStreams: false,
      },
    },
  ];
}
