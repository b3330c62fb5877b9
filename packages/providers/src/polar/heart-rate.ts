import { type SeriesRecord, civilDate, offsetAt, providerDay, zoneAt } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { type DaySample, seriesByDay } from '../series-by-day.js';
import { polarWatch, readDay, readUnderscored } from './fields.js';

const HALF_DAY_MS = 12 * 3_600_000;

/**
 * The heart rates of one day. Their clock times have no zone: they are instants by the offset of the night that ended on that day, where
 * that is known, else by the zone that the person was in as far as we know; else they are written as if they were UTC and stay provisional.
 * @param nightOffsetS seconds east of UTC.
 * @throws Drift naming the path.
 */
export function heartRateRecords(
  value: unknown,
  at: string,
  nightOffsetS: number | undefined,
  { now, whereabouts }: ReadAt,
): SeriesRecord[] {
  const document = readUnderscored(value, at);
  const label = readDay(document, 'date', at);
  const day = providerDay('polar', 'continuous-heart-rate', []);
  const midnight = Date.parse(`${label}T00:00:00Z`);
  const zone = nightOffsetS === undefined ? (zoneAt(whereabouts.profile, midnight + HALF_DAY_MS) ?? whereabouts.fallbackZone) : undefined;
  const date = civilDate({ label, labelShift: day.labelShift, at: midnight, offsetS: nightOffsetS, zone }, whereabouts);
  if (date === undefined) throw new Drift(`${at}date is no civil day`);
  const given = document['heart_rate_samples'] ?? [];
  if (!Array.isArray(given)) throw new Drift(`${at}heart_rate_samples is no list`);
  const samples = given.flatMap((one: unknown, index): DaySample[] => {
    const path = `${at}heart_rate_samples[${index}].`;
    const sample = readUnderscored(one, path);
    const beats = readNumber(sample, 'heart_rate', path);
    const clock = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/.exec(readText(sample, 'sample_time', path) ?? '');
    if (clock === null) throw new Drift(`${path}sample_time is no clock time`);
    if (beats === null || beats === 0) return [];
    const wall = midnight + (Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3])) * 1000;
    return [{ localDate: date.localDate, ms: instantOf(wall, nightOffsetS ?? date.timeZone), value: beats }];
  });
  const placeUnknown = nightOffsetS === undefined && date.timeZone === undefined;
  const fields = dateFields({ ...date, utcOffsetS: placeUnknown ? undefined : date.utcOffsetS, provisional: placeUnknown }, day, { now });
  const dated = { providerRecordId: `continuous-heart-rate/${label}`, source: polarWatch, version: undefined, ...fields };
  return seriesByDay('heart_rate', samples, () => (placeUnknown ? { ...dated, coverageEnd: undefined } : dated));
}

/** Of a wall time written as if in UTC. In an hour that a change of the clocks repeats, the first one. */
function instantOf(wall: number, zone: string | number | undefined): number {
  if (zone === undefined) return wall;
  const before = wall - offsetAt(wall - HALF_DAY_MS, zone) * 1000;
  return wall - offsetAt(before, zone) * 1000;
}
