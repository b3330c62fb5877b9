import { type WorkoutRecord, canonical, dailyMetrics, providerDay, roundTo, sportOf, workoutDate } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { readDocument, readId, readInstant, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { readQuantity } from '../quantities.js';
import { readDay, ring } from './documents.js';

const LONGEST_MS = 7 * 86_400_000;

/** One workout under the day that Oura gives. @throws Drift naming the path. */
export function workoutRecords(value: unknown, at: string, read: ReadAt): WorkoutRecord[] {
  const document = readDocument(value, at);
  const start = readInstant(document, 'start_datetime', at);
  const end = readInstant(document, 'end_datetime', at);
  if (end.ms < start.ms) throw new Drift(`${at}end_datetime is before start_datetime`);
  if (end.ms - start.ms > LONGEST_MS) throw new Drift(`${at}end_datetime is out of any possible range`);
  const clues = { label: readDay(document, at), labelShift: 0, start: start.ms, end: end.ms, zone: undefined };
  const date = workoutDate({ ...clues, startOffsetS: start.offsetS, endOffsetS: end.offsetS }, read.whereabouts);
  if (date === undefined) throw new Drift(`${at}start_datetime is no instant with an offset`);
  const energy = readQuantity(document, 'calories', 'kcal', at);
  const distance = readQuantity(document, 'distance', 'm', at);
  for (const [field, quantity] of [['calories', energy] as const, ['distance', distance] as const]) {
    if (quantity !== null && quantity.value < 0) throw new Drift(`${at}${field} is negative`);
  }
  const providerSport = readText(document, 'activity', at) ?? 'other';
  return [
    {
      kind: 'workout',
      providerRecordId: readId(document, at),
      source: ring,
      version: undefined,
      coverageEnd: end.ms,
      ...dateFields(date, providerDay('oura', 'workout', []), { now: read.now, closes: 'at_once' }),
      start: new Date(start.ms).toISOString(),
      end: new Date(end.ms).toISOString(),
      endUtcOffsetS: date.endUtcOffsetS,
      detail: {
        ...sportOf('oura', providerSport),
        providerSport,
        elapsedS: roundTo(date.durationS, 0),
        activeS: null,
        distanceM: distance === null ? null : roundTo(distance.value, 1),
        elevationGainM: null,
        activeEnergyKcal: energy === null ? null : canonical(dailyMetrics.active_energy, energy),
        totalEnergyKcal: null,
        workKj: null,
        hrAvg: null,
        hrMax: null,
        hrZonesS: null,
        powerAvgW: null,
        cadenceAvg: null,
        steps: null,
        manual: readText(document, 'source', at) === 'manual',
        hasRoute: false,
        hasStreams: false,
      },
    },
  ];
}
