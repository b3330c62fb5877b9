import { type WorkoutRecord, providerDay, roundTo, sportOf, workoutDate } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { readEpoch, readLabel, readMeasured, readOffset, readSummaryId, sourceOf } from './summary-fields.js';

const LONGEST_MS = 7 * 86_400_000;

const cadences = ['averageRunCadenceInStepsPerMinute', 'averageBikeCadenceInRoundsPerMinute', 'averageSwimCadenceInStrokesPerMinute'];

/**
 * One activity. It belongs to the day on which it began, by the watch. Of an event of several sports Garmin sends the whole and each leg: the
 * legs count, which say what was done, and the whole gives nothing, or all of it would be there twice.
 * @throws Drift
 */
export function activityRecords(summary: Document, at: string, { now, whereabouts }: ReadAt): WorkoutRecord[] {
  const start = readEpoch(summary, 'startTimeInSeconds', at);
  const offsetS = readOffset(summary, 'startTimeOffsetInSeconds', at);
  const number = (name: string, decimals: number) => {
    const value = readMeasured(summary, name, at);
    return value === null ? null : roundTo(value, decimals);
  };
  const elapsedS = number('durationInSeconds', 0);
  if (elapsedS === null) throw new Drift(`${at}durationInSeconds is no number`);
  if (elapsedS * 1000 > LONGEST_MS) throw new Drift(`${at}durationInSeconds is out of any possible range`);
  const end = start + elapsedS * 1000;
  const clues = { labelShift: 0, start, end, startOffsetS: offsetS, endOffsetS: offsetS, zone: undefined };
  const date = workoutDate({ label: readLabel(summary, at), ...clues }, whereabouts);
  if (date === undefined) throw new Drift(`${at}startTimeInSeconds is no instant`);
  const providerSport = readText(summary, 'activityType', at) ?? '';
  const id = readSummaryId(summary, at);
  if (summary['isParent'] === true) return [];
  return [
    {
      kind: 'workout',
      ...dateFields(date, providerDay('garmin', 'activities', []), { now, closes: 'at_once' }),
      providerRecordId: id,
      source: sourceOf(summary, at),
      version: undefined,
      // An edit may cut it.
      coverageEnd: undefined,
      endUtcOffsetS: date.endUtcOffsetS,
      start: new Date(start).toISOString(),
      end: new Date(end).toISOString(),
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
