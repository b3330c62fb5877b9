import {
  type Dated,
  type HealthRecord,
  type SeriesRecord,
  canonical,
  dailyMetrics,
  providerDay,
  rangeOf,
  roundTo,
  seriesMetrics,
  sportOf,
  workoutDate,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readId, readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { readAmount, readDay, readDuration, readUnderscored, sourceOf } from './fields.js';

const LONGEST_S = 7 * 86_400;
/** `sample-type` of heart rates. */
const HEART_RATE = '0';

/** When an exercise began: wall time and the minutes that the wall is east of UTC. @throws Drift */
export function exerciseStart(value: unknown, at: string): { readonly ms: number; readonly offsetS: number; readonly day: string } {
  const document = readUnderscored(value, at);
  const text = readText(document, 'start_time', at) ?? '';
  const minutes = readNumber(document, 'start_time_utc_offset', at);
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(wall)) throw new Drift(`${at}start_time is no wall time`);
  if (minutes === null || !Number.isInteger(minutes) || Math.abs(minutes) > 1440)
    throw new Drift(`${at}start_time_utc_offset is no offset`);
  return { ms: wall - minutes * 60_000, offsetS: minutes * 60, day: readDay(document, 'start_time', at) };
}

/**
 * One exercise under the day of its start, and its heart rates. `upload_time` is that of its coming and no version: an edit does not move it.
 * @throws Drift naming the path.
 */
export function exerciseRecords(value: unknown, at: string, read: ReadAt): HealthRecord[] {
  const document = readUnderscored(value, at);
  const start = exerciseStart(value, at);
  const elapsedS = readDuration(document, 'duration', at);
  if (elapsedS === null || elapsedS > LONGEST_S) throw new Drift(`${at}duration is out of any possible range`);
  const id = readId(document, at);
  const clues = { label: start.day, labelShift: 0, start: start.ms, end: start.ms + elapsedS * 1000, zone: undefined };
  const date = workoutDate({ ...clues, startOffsetS: start.offsetS, endOffsetS: undefined }, read.whereabouts);
  if (date === undefined) throw new Drift(`${at}start_time is no wall time`);
  const dated: Dated = {
    providerRecordId: id,
    source: sourceOf(readText(document, 'device', at)),
    ...dateFields(date, providerDay('polar', 'exercises', []), { now: read.now, closes: 'at_once' }),
    version: undefined,
    coverageEnd: clues.end,
  };
  const general = readText(document, 'sport', at);
  const providerSport = readText(document, 'detailed_sport_info', at) ?? general ?? 'OTHER';
  const known = sportOf('polar', providerSport);
  const heart =
    document['heart_rate'] === undefined || document['heart_rate'] === null
      ? {}
      : readUnderscored(document['heart_rate'], `${at}heart_rate.`);
  const rate = (field: string) => readAmount(heart, field, `${at}heart_rate.`) || null;
  const calories = readAmount(document, 'calories', at);
  const distance = readAmount(document, 'distance', at);
  const series = heartRates(document, at, { dated, startMs: start.ms });
  return [
    {
      kind: 'workout',
      ...dated,
      start: new Date(start.ms).toISOString(),
      end: new Date(start.ms + elapsedS * 1000).toISOString(),
      endUtcOffsetS: date.endUtcOffsetS,
      detail: {
        ...(known.sport === 'other' && general !== undefined ? sportOf('polar', general) : known),
        providerSport,
        elapsedS: roundTo(elapsedS, 0),
        activeS: null,
        distanceM: distance === null ? null : roundTo(distance, 1),
        elevationGainM: null,
        activeEnergyKcal: null,
        totalEnergyKcal: calories === null ? null : canonical(dailyMetrics.total_energy, { value: calories, unit: 'kcal' }),
        workKj: null,
        hrAvg: rate('average'),
        hrMax: rate('maximum'),
        hrZonesS: zones(document, at),
        powerAvgW: null,
        cadenceAvg: null,
        steps: null,
        manual: false,
        hasRoute: document['has_route'] === true,
        hasStreams: series.length > 0,
      },
    },
    ...series,
  ];
}

function zones(document: Document, at: string): number[] | null {
  const given = document['heart_rate_zones'];
  if (given === undefined || given === null) return null;
  if (!Array.isArray(given)) throw new Drift(`${at}heart_rate_zones is no list`);
  const seconds = given.map((zone, index) => {
    const path = `${at}heart_rate_zones[${index}].`;
    return readDuration(readUnderscored(zone, path), 'in_zone', path);
  });
  return seconds.length > 0 && seconds.every((value) => value !== null) ? seconds.map((value) => roundTo(value, 0)) : null;
}

/** A list of numbers with commas between, one for each `recording-rate` seconds; 0 and nothing mean that no beat was felt. */
function heartRates(document: Document, at: string, { dated, startMs }: { dated: Dated; startMs: number }): SeriesRecord[] {
  const given = document['samples'];
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new Drift(`${at}samples is no list`);
  for (const [index, value] of given.entries()) {
    const path = `${at}samples[${index}].`;
    const sample = readUnderscored(value, path);
    if (String(sample['sample_type']) !== HEART_RATE) continue;
    const everyS = readNumber(sample, 'recording_rate', path);
    if (everyS === null || !Number.isInteger(everyS) || everyS < 1) throw new Drift(`${path}recording_rate is no number of seconds`);
    const felt = (readText(sample, 'data', path) ?? '').split(',').flatMap((text, n) => {
      const beats = Number(text);
      if (Number.isNaN(beats) && text !== 'null') throw new Drift(`${path}data is no list of numbers`);
      // What no heart does is a strap that slipped, and the rest of the exercise is none the worse for it.
      if (!beats || rangeOf(seriesMetrics.heart_rate, beats) === 'impossible') return [];
      return [[n * everyS, beats] as const];
    });
    if (felt.length === 0) return [];
    const samples = {
      from: new Date(startMs).toISOString(),
      offsetsS: felt.map(([offsetS]) => offsetS),
      values: felt.map(([, beats]) => beats),
      intervalS: undefined,
    };
    return [{ kind: 'series', metric: 'heart_rate', workoutId: dated.providerRecordId, samples, ...dated }];
  }
  return [];
}
