import { type DailyRecord, type HealthRecord, endOfDay, isCivilDay, offsetAt, startOfDay } from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { dailyValue } from '../quantities.js';
import { type DatedByWithings, inUnit, readAmount, readModified, readRate, readZone, sourceOf } from './fields.js';

/** UTC−12, the last place on Earth to end a day. */
const LAST_OFFSET_S = -12 * 3600;

/** The day that a record files itself under. @throws Drift */
export function readDate(document: Document, at: string): string {
  const day = readText(document, 'date', at);
  if (day === undefined || !isCivilDay(day)) throw new Drift(`${at}date is no civil day`);
  return day;
}

/**
 * Totals of one day. `elevation` is in floors. A day that was last changed before it ended is still running: Withings changes it again,
 * and with it its version.
 * @throws Drift naming the path.
 */
export function activityRecords(value: unknown, at: string): HealthRecord[] {
  const document = readDocument(value, at);
  const localDate = readDate(document, at);
  const version = readModified(document, at);
  const zone = readZone(document, at);
  const dated: DatedByWithings = {
    providerRecordId: `activity/${localDate}`,
    source: sourceOf(document, at),
    localDate,
    dateBasis: 'provider_date',
    dayModel: 'civil',
    utcOffsetS: zone === undefined ? undefined : offsetAt(startOfDay(localDate, zone), zone),
    provisional: version / 1000 < endOfDay(localDate, zone ?? LAST_OFFSET_S),
    version,
  };
  const amount = (field: string) => readAmount(document, field, at);
  const seconds = (metric: Seconds, field: string) => dailyValue(metric, inUnit(amount(field), 's'), dated, at + field);
  const rate = (metric: Rate, field: string) => dailyValue(metric, inUnit(readRate(document, field, at), '/min'), dated, at + field);
  return [
    ...dailyValue('steps', inUnit(amount('steps'), '{steps}'), dated, `${at}steps`),
    ...dailyValue('distance', inUnit(amount('distance'), 'm'), dated, `${at}distance`),
    ...dailyValue('floors_climbed', inUnit(amount('elevation'), '{flight}'), dated, `${at}elevation`),
    ...dailyValue('active_energy', inUnit(amount('calories'), 'kcal'), dated, `${at}calories`),
    ...dailyValue('total_energy', inUnit(amount('totalcalories'), 'kcal'), dated, `${at}totalcalories`),
    ...seconds('active_duration', 'active'),
    ...seconds('light_activity_duration', 'soft'),
    ...seconds('moderate_activity_duration', 'moderate'),
    ...seconds('vigorous_activity_duration', 'intense'),
    ...rate('heart_rate_avg', 'hr_average'),
    ...rate('heart_rate_min', 'hr_min'),
    ...rate('heart_rate_max', 'hr_max'),
  ] satisfies DailyRecord[];
}

type Seconds = 'active_duration' | 'light_activity_duration' | 'moderate_activity_duration' | 'vigorous_activity_duration';
type Rate = 'heart_rate_avg' | 'heart_rate_min' | 'heart_rate_max';
