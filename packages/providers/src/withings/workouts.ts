import { type HealthRecord, canonical, dailyMetrics, providerDay, sportOf, workoutDate } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readNumber } from '../document-fields.js';
import { Drift } from '../drift.js';
import { readAmount, readListId, readModified, readRate, readSession, rounded, sourceOf, typedIn } from './fields.js';

const LONGEST_MS = 7 * 86_400_000;
/** `attrib` of a workout that a person typed in. */
const TYPED = 2;

/** One workout; `category` is the number of its sport. @throws Drift naming the path. */
export function workoutRecords(value: unknown, at: string, { now, whereabouts }: ReadAt): HealthRecord[] {
  const document = readDocument(value, at);
  const session = readSession(document, at, LONGEST_MS);
  const date = workoutDate(session, whereabouts);
  if (date === undefined) throw new Drift(`${at}startdate is no instant`);
  const data = readDocument(document['data'] ?? {}, `${at}data.`);
  const dataAt = `${at}data.`;
  const amount = (field: string, decimals: number) => rounded(readAmount(data, field, dataAt), decimals);
  const rate = (field: string) => rounded(readRate(data, field, dataAt), 1);
  const calories = readAmount(data, 'calories', dataAt) || readAmount(data, 'manual_calories', dataAt);
  const providerSport = readListId(document, 'category', at);
  const manual = readNumber(document, 'attrib', at) === TYPED;
  const elapsedS = Math.round(date.durationS);
  const pauseS = readAmount(data, 'pause_duration', dataAt);
  return [
    {
      kind: 'workout',
      providerRecordId: `workout/${readListId(document, 'id', at)}`,
      source: manual ? typedIn : sourceOf(document, at),
      ...dateFields(date, providerDay('withings', 'workout', []), { now, closes: 'at_once' }),
      version: readModified(document, at),
      coverageEnd: session.end,
      start: new Date(session.start).toISOString(),
      end: new Date(session.end).toISOString(),
      endUtcOffsetS: date.endUtcOffsetS,
      detail: {
        ...sportOf('withings', providerSport),
        providerSport,
        elapsedS,
        activeS: amount('effduration', 0) ?? (pauseS === null ? null : Math.max(0, elapsedS - Math.round(pauseS))),
        distanceM: amount('distance', 1) ?? amount('manual_distance', 1),
        // `elevation` is in floors.
        elevationGainM: null,
        activeEnergyKcal: calories === null ? null : canonical(dailyMetrics.active_energy, { value: calories, unit: 'kcal' }),
        totalEnergyKcal: null,
        workKj: null,
        hrAvg: rate('hr_average'),
        hrMax: rate('hr_max'),
        hrZonesS: zones(data, dataAt),
        powerAvgW: null,
        cadenceAvg: null,
        steps: amount('steps', 0),
        manual,
        hasRoute: false,
        hasStreams: false,
      },
    },
  ];
}

/** Light, moderate, intense, maximal; all or none. */
function zones(data: Document, at: string): number[] | null {
  const seconds = [0, 1, 2, 3].map((zone) => rounded(readAmount(data, `hr_zone_${zone}`, at), 0));
  return seconds.every((value) => value !== null) ? seconds : null;
}
