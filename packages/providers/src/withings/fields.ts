import {
  type CivilDate,
  type Source,
  type Whereabouts,
  civilDate,
  isCivilDay,
  isZone,
  roundTo,
  startOfDay,
  versionFromMs,
} from '@tributary/domain';
import { type Document, readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';

/** Models of one kind have numbers side by side: scales to 19, watches and trackers from 51, and phones that count steps. */
function typeOf(model: number, brand: number | null): Source['type'] {
  if (brand === FOREIGN_BRAND) return 'platform_merged';
  if (model >= 1 && model <= 19) return 'scale';
  if ((model >= 51 && model <= 59) || (model >= 90 && model <= 99)) return 'watch';
  if (model >= 1051 && model <= 1053) return 'phone';
  return 'unknown';
}

/** Data that Withings took over from elsewhere, e.g. Google Fit: the same steps may come from their own provider too. */
const FOREIGN_BRAND = 18;

/** The kind of device and never the device: a new one of the same model goes on where the old one ended. */
export function sourceOf(document: Document, at: string): Source {
  const brand = readNumber(document, 'brand', at);
  const { model: named } = document;
  const number = modelOf(document, at);
  if (number === null) return { id: 'src_withings_unknown', type: 'unknown', manufacturer: 'Withings', model: undefined };
  const type = typeOf(number, brand);
  return {
    id: `src_withings_model_${number}`,
    type,
    manufacturer: type === 'platform_merged' ? undefined : 'Withings',
    model: typeof named === 'string' && named !== '' ? named : undefined,
    ...(type === 'platform_merged' && typeof named === 'string' && /google/i.test(named) && { originProvider: 'google' }),
  };
}

/** The number of a model: the lists spell it in two ways, and `model` is a number in some and a name in others. @throws Drift */
export function modelOf(document: Document, at: string): number | null {
  const { model } = document;
  return readNumber(document, 'modelid', at) ?? readNumber(document, 'model_id', at) ?? (typeof model === 'number' ? model : null);
}

export const typedIn: Source = { id: 'src_withings_manual', type: 'manual', manufacturer: undefined, model: undefined };

/** Whole seconds since 1970, in milliseconds. @throws Drift */
export function readEpoch(document: Document, field: string, at: string): number {
  const seconds = readNumber(document, field, at);
  if (seconds === null || !Number.isSafeInteger(seconds) || seconds < 0) throw new Drift(`${at}${field} is no time in seconds`);
  return seconds * 1000;
}

/** When Withings last changed the record; it has whole seconds. @throws Drift */
export function readModified(document: Document, at: string): number {
  return versionFromMs(readEpoch(document, 'modified', at));
}

/** The zone of a record or of an answer; undefined where it names none. @throws Drift */
export function readZone(document: Document, at: string): string | undefined {
  return readText(document, 'timezone', at) || undefined;
}

/** The day that a record files itself under, in its own zone. @throws Drift */
export function readDay(document: Document, at: string, whereabouts: Whereabouts): CivilDate {
  const label = readText(document, 'date', at);
  const zone = readZone(document, at);
  if (label === undefined || !isCivilDay(label)) throw new Drift(`${at}date is no civil day`);
  const instant = zone !== undefined && isZone(zone) ? startOfDay(label, zone) : undefined;
  const date = civilDate({ label, labelShift: 0, at: instant, offsetS: undefined, zone }, whereabouts);
  if (date === undefined) throw new Drift(`${at}date is no civil day`);
  return date;
}

/** Negative numbers are codes (-1: not worked out), no values. @throws Drift */
export function readAmount(document: Document, field: string, at: string): number | null {
  const value = readNumber(document, field, at);
  return value === null || value < 0 ? null : value;
}

/** A rate of 0 is that of a heart or chest that was not measured. @throws Drift */
export function readRate(document: Document, field: string, at: string): number | null {
  return readAmount(document, field, at) || null;
}

export function rounded(value: number | null, decimals: number): number | null {
  return value === null ? null : roundTo(value, decimals);
}

/** A number with its unit, null where there is no number. */
export function inUnit<U extends string>(value: number | null, unit: U): { readonly value: number; readonly unit: U } | null {
  return value === null ? null : { value, unit };
}

/** What a session says of its own day. @throws Drift */
export function readSession(document: Document, at: string, longestMs: number) {
  const start = readEpoch(document, 'startdate', at);
  const end = readEpoch(document, 'enddate', at);
  if (end < start) throw new Drift(`${at}enddate is before startdate`);
  if (end - start > longestMs) throw new Drift(`${at}enddate is out of any possible range`);
  const label = readText(document, 'date', at);
  if (label === undefined || !isCivilDay(label)) throw new Drift(`${at}date is no civil day`);
  return { label, labelShift: 0, start, end, startOffsetS: undefined, endOffsetS: undefined, zone: readZone(document, at) };
}

/** Ids of lists are numbers. @throws Drift */
export function readListId(document: Document, field: string, at: string): string {
  const id = document[field];
  if (Number.isSafeInteger(id) || (typeof id === 'string' && id !== '')) return String(id);
  throw new Drift(`${at}${field} is no id`);
}
