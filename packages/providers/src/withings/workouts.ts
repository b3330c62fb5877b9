import { type HealthRecord, canonical, dailyMetrics, sportOf } from '@tributary/domain';
import { type Document, readDocument, readNumber } from '../document-fields.js';
import { readDate } from './activity.js';
import { readAmount, readListId, readModified, readRate, readSpan, rounded, sourceOf, typedIn } from './fields.js';

const LONGEST_MS = 7 * 86_400_000;
/** `attrib` of a workout that a person typed in. */
const TYPED = 2;

/** One workout; `category` is the number of its sport. @throws Drift naming the path. */
export function workoutRecords(value: unknown, at: string): HealthRecord[] {
  const document = readDocument(value, at);
  const { startMs, endMs, zone: _zone, ...span } = readSpan(document, at, LONGEST_MS);
  const data = readDocument(document['data'] ?? {}, `${at}data.`);
  const dataAt = `${at}data.`;
  const amount = (field: string, decimals: number) => rounded(readAmount(data, field, dataAt), decimals);
  const rate = (field: string) => rounded(readRate(data, field, dataAt), 1);
  const calories = readAmount(data, 'calories', dataAt) || readAmount(data, 'manual_calories', dataAt);
  const providerSport = readListId(document, 'category', at);
  const manual = readNumber(document, 'attrib', at) === TYPED;
  const elapsedS = Math.round((endMs - startMs) / 1000);
  const pauseS = readAmount(data, 'pause_duration', dataAt);
  return [
    {
      kind: 'workout',
      providerRecordId: `workout/${readListId(document, 'id', at)}`,
      source: manual ? typedIn : sourceOf(document, at),
      localDate: readDate(document, at),
      dateBasis: 'provider_date',
      dayModel: 'civil',
      provisional: false,
      version: readModified(document, at),
      ...span,
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
