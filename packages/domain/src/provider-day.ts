import type { DayModel } from './record.js';

/** What is peculiar about the days of one collection (contract §4.4). */
export interface ProviderDay {
  readonly dayModel: DayModel;
  /** Hour of the civil day at which this provider's day begins and ends. */
  readonly startsAtH: number;
  /** Days from the provider's label to the day that we file under. */
  readonly labelShift: number;
}

/** A peculiarity that was reported by others and not yet seen on an account of ours stays off until someone turns it on. */
export type DayQuirk = 'google_spo2_labelled_by_start_of_night';

interface Peculiar extends ProviderDay {
  /** Only while this is turned on. */
  readonly quirk?: DayQuirk;
}

const plain: Peculiar = { dayModel: 'civil', startsAtH: 0, labelShift: 0 };
const night: Peculiar = { ...plain, dayModel: 'night' };
const cycle: Peculiar = { ...plain, dayModel: 'physiological_cycle' };

/** By `provider/collection`; whatever is not here has plain civil days. */
const peculiar: Record<string, Peculiar> = {
  // The activity day of Oura runs from 04:00 to 04:00: a walk at 02:00 is yesterday's.
  'oura/daily_activity': { dayModel: 'civil_0400', startsAtH: 4, labelShift: 0 },
  'oura/sleep': night,
  'oura/daily_sleep': night,
  'oura/daily_readiness': night,
  'oura/daily_spo2': night,
  // From falling asleep to falling asleep; filed under the day of waking.
  'whoop/cycle': cycle,
  'whoop/recovery': night,
  'whoop/sleep': night,
  'polar/nightly-recharge': night,
  'polar/skin-temperature': night,
  'polar/sleep': night,
  'garmin/sleeps': night,
  'garmin/hrv': night,
  'withings/sleep': night,
  'google/sleep': night,
  'google/daily-heart-rate-variability': night,
  'google/daily-respiratory-rate': night,
  'google/daily-sleep-temperature-derivations': night,
  // Labelled with the day on which the night began; the old Fitbit API used the day of waking.
  'google/daily-oxygen-saturation': { ...night, labelShift: 1, quirk: 'google_spo2_labelled_by_start_of_night' },
};

/** @param quirks the reported peculiarities that are turned on. */
export function providerDay(provider: string, collection: string, quirks: readonly DayQuirk[]): ProviderDay {
  const found = peculiar[`${provider}/${collection}`] ?? plain;
  const { dayModel, startsAtH, quirk } = found;
  return { dayModel, startsAtH, labelShift: quirk === undefined || quirks.includes(quirk) ? found.labelShift : 0 };
}
