import { type DailyRecord, type Dated, type HealthRecord, endOfDay, providerDay } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { readDocument } from '../document-fields.js';
import { dailyValue } from '../quantities.js';
import { inUnit, readAmount, readDay, readModified, readRate, sourceOf } from './fields.js';

/** UTC−12, the last place on Earth to end a day. */
const LAST_OFFSET_S = -12 * 3600;

/**
 * Totals of one day. `elevation` is in floors; what the body burns at rest is what is left of the whole.
 * @throws Drift naming the path.
 */
export function activityRecords(value: unknown, at: string, { now, whereabouts }: ReadAt): HealthRecord[] {
  const document = readDocument(value, at);
  const date = readDay(document, at, whereabouts);
  const version = readModified(document, at);
  const dated: Dated = {
    ...dateFields(date, providerDay('withings', 'activity', []), { now }),
    providerRecordId: `activity/${date.localDate}`,
    source: sourceOf(document, at),
    version,
    // What was last changed after the day holds all of it.
    coverageEnd: Math.min(version / 1000, endOfDay(date.localDate, date.timeZone ?? LAST_OFFSET_S)),
  };
  const amount = (field: string) => readAmount(document, field, at);
  const seconds = (metric: Seconds, field: string) => dailyValue(metric, inUnit(amount(field), 's'), dated, at + field);
  const rate = (metric: Rate, field: string) => dailyValue(metric, inUnit(readRate(document, field, at), '/min'), dated, at + field);
  const [active, total] = [amount('calories'), amount('totalcalories')];
  const resting = active === null || total === null || total < active ? null : total - active;
  return [
    ...dailyValue('steps', inUnit(amount('steps'), '{steps}'), dated, `${at}steps`),
    ...dailyValue('distance', inUnit(amount('distance'), 'm'), dated, `${at}distance`),
    ...dailyValue('floors_climbed', inUnit(amount('elevation'), '{flight}'), dated, `${at}elevation`),
    ...dailyValue('active_energy', inUnit(active, 'kcal'), dated, `${at}calories`),
    ...dailyValue('total_energy', inUnit(total, 'kcal'), dated, `${at}totalcalories`),
    ...dailyValue('basal_energy', inUnit(resting, 'kcal'), dated, `${at}totalcalories`),
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
