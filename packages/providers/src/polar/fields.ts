import { type Dated, type Source, civilDate, isCivilDay, providerDay } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';

/** What has no device in it, or only its serial number, which is not for us to keep. */
export const polarWatch: Source = { id: 'src_polar_watch', type: 'watch', manufacturer: 'Polar', model: undefined };

/** By the model and never by the serial number beside it. */
export function sourceOf(device: string | undefined): Source {
  const slug = (device ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_?(polar_)?|_$/g, '');
  return device === undefined || slug === '' ? polarWatch : { ...polarWatch, id: `src_polar_${slug}`, model: device };
}

/** Older and newer answers write the same names with hyphens and with underscores. @throws Drift */
export function readUnderscored(value: unknown, at: string): Document {
  return Object.fromEntries(Object.entries(readDocument(value, at)).map(([name, held]) => [name.replaceAll('-', '_'), held]));
}

/** The day that a record files itself under: of the person's own calendar, without a zone. @throws Drift */
export function readDay(document: Document, field: string, at: string): string {
  const text = readText(document, field, at) ?? '';
  const day = text.slice(0, 10);
  if (!isCivilDay(day) || !/^(T|$)/.test(text.slice(10))) throw new Drift(`${at}${field} is no civil day`);
  return day;
}

/** ISO 8601 durations of days and below, in seconds; months have no length. Null when there is none. @throws Drift */
export function readDuration(document: Document, field: string, at: string): number | null {
  const text = readText(document, field, at);
  if (text === undefined) return null;
  const match = /^P(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text);
  if (match === null || text === 'P') throw new Drift(`${at}${field} is no duration`);
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [number, number, number, number];
  return days * 86_400 + hours * 3600 + minutes * 60 + seconds;
}

/** @throws Drift when it is below nothing. */
export function readAmount(document: Document, field: string, at: string): number | null {
  const value = readNumber(document, field, at);
  if (value !== null && value < 0) throw new Drift(`${at}${field} is negative`);
  return value;
}

/** What has a label and no time at all, which is most of what Polar says of a day. */
export function datedByLabel(label: string, collection: string, { now, whereabouts }: ReadAt): Dated {
  const day = providerDay('polar', collection, []);
  const date = civilDate({ label, labelShift: day.labelShift, at: undefined, offsetS: undefined, zone: undefined }, whereabouts);
  if (date === undefined) throw new Drift('a label is no civil day');
  return { providerRecordId: `${collection}/${label}`, source: polarWatch, version: undefined, ...dateFields(date, day, { now }) };
}
