import { addDays, dayLabel } from './civil-day.js';
import { isInstant, isZone, localDate, offsetAt } from './local-date.js';
import type { DateBasis } from './record.js';

/** From when on (epoch milliseconds) a profile named a zone. */
export interface ZonePeriod {
  readonly validFrom: number;
  readonly zone: string;
}

/** What is known of where a person was, besides the record. */
export interface Whereabouts {
  /** The zones of the provider's profile, in any order. What was there before the first is not known. */
  readonly profile: readonly ZonePeriod[];
  /** What the customer says. */
  readonly fallbackZone: string | undefined;
  /** Version of the zone data that we run on, e.g. `2025c`; kept beside a date that depends on it. */
  readonly tzdb: string;
}

/** What a record says of its own day. */
export interface DateClues {
  /** The provider's date, or a text that begins with it. */
  readonly label: string | undefined;
  /** Days between the label and the day that we file under (provider-day.ts); 0 for nearly all. */
  readonly labelShift: number;
  /** Epoch milliseconds of the instant that decides; undefined when there is a label alone. */
  readonly at: number | undefined;
  /** Seconds east of UTC. */
  readonly offsetS: number | undefined;
  readonly zone: string | undefined;
}

/** What was odd on the way; counted, never a reason to refuse a record. */
export type DateAnomaly = 'label_refused' | 'instant_refused' | 'offset_refused' | 'offset_unusual' | 'zone_refused' | 'zone_disagrees';

export interface CivilDate {
  readonly localDate: string;
  /** The provider's own label, when it is another. */
  readonly providerDate: string | undefined;
  readonly dateBasis: DateBasis;
  readonly utcOffsetS: number | undefined;
  readonly timeZone: string | undefined;
  /** undefined when no zone data were asked. */
  readonly tzdb: string | undefined;
  /** The instant that it was computed from, where it rests on the customer's word or on nothing: from it, it is computed anew. */
  readonly datedAt?: number | undefined;
  /** Nobody knows where it was: it may move once a zone is learned. */
  readonly provisional: boolean;
  readonly anomalies: readonly DateAnomaly[];
}

/**
 * The ladder (contract §4.2): the provider's label, the record's offset, the record's zone, the profile's zone at that time, the customer's
 * zone, UTC. Never the server's zone, never the zone of now for a record of then.
 * @returns undefined when there is neither a label nor an instant.
 */
export function civilDate(clues: DateClues, whereabouts: Whereabouts): CivilDate | undefined {
  const anomalies: DateAnomaly[] = [];
  const at = clues.at !== undefined && isInstant(clues.at) ? clues.at : undefined;
  if (clues.at !== at) anomalies.push('instant_refused');
  const offsetS = usable(clues.offsetS, anomalies);
  const zone = known(clues.zone, anomalies);
  const label = clues.label === undefined ? undefined : dayLabel(clues.label);
  if (clues.label !== undefined && label === undefined) anomalies.push('label_refused');
  const made = (localDate: string, dateBasis: DateBasis, timeZone: string | undefined): CivilDate => ({
    localDate,
    providerDate: label === localDate ? undefined : label,
    dateBasis,
    utcOffsetS: offsetS ?? (timeZone === undefined || at === undefined ? undefined : offsetAt(at, timeZone)),
    timeZone,
    tzdb: timeZone === undefined || at === undefined ? undefined : whereabouts.tzdb,
    ...(isWeak(dateBasis) && { datedAt: at }),
    provisional: dateBasis === 'utc_assumed',
    anomalies,
  });

  if (at !== undefined && offsetS !== undefined && zone !== undefined && offsetAt(at, zone) !== offsetS) anomalies.push('zone_disagrees');
  if (label !== undefined) return made(addDays(label, clues.labelShift), 'provider_date', zone);
  if (at === undefined) return undefined;
  if (offsetS !== undefined) return made(localDate(at, offsetS), 'record_offset', zone);
  if (zone !== undefined) return made(localDate(at, zone), 'record_zone', zone);
  const profileZone = known(zoneAt(whereabouts.profile, at), anomalies);
  if (profileZone !== undefined) return made(localDate(at, profileZone), 'profile_zone', profileZone);
  const fallback = known(whereabouts.fallbackZone, anomalies);
  if (fallback !== undefined) return made(localDate(at, fallback), 'fallback_zone', fallback);
  return made(localDate(at, 0), 'utc_assumed', undefined);
}

/** A session in time. Epoch milliseconds, seconds east of UTC. */
export interface SessionClues {
  readonly label: string | undefined;
  readonly labelShift: number;
  readonly start: number;
  readonly end: number;
  readonly startOffsetS: number | undefined;
  readonly endOffsetS: number | undefined;
  readonly zone: string | undefined;
}

export interface SessionDate extends CivilDate {
  readonly endLocalDate: string;
  readonly endUtcOffsetS: number | undefined;
  /** Of real time; wall clocks may have been changed in between. */
  readonly durationS: number;
}

/**
 * A sleep belongs to the day of waking, at the offset of waking. The waking instant counts as slept: one that ends at 00:00:00 belongs to
 * the day that begins. (Windows are half-open; this differs on purpose.) `utcOffsetS` is that of the start, as for every record.
 * @returns undefined when an edge is no instant.
 */
export function sleepDate(session: SessionClues, whereabouts: Whereabouts): SessionDate | undefined {
  const end = civilDateOf(session, 'end', whereabouts);
  const start = civilDateOf({ ...session, label: undefined }, 'start', whereabouts);
  const unlabelled = civilDateOf({ ...session, label: undefined }, 'end', whereabouts);
  if (end === undefined || start === undefined || unlabelled === undefined) return undefined;
  return {
    ...end,
    utcOffsetS: start.utcOffsetS,
    endUtcOffsetS: end.utcOffsetS,
    endLocalDate: unlabelled.localDate,
    durationS: (session.end - session.start) / 1000,
  };
}

/** A workout belongs to the day of its start and is never split at midnight; daily totals keep whatever split the provider made. undefined as above. */
export function workoutDate(session: SessionClues, whereabouts: Whereabouts): SessionDate | undefined {
  const start = civilDateOf(session, 'start', whereabouts);
  const end = civilDateOf({ ...session, label: undefined, endOffsetS: session.endOffsetS ?? session.startOffsetS }, 'end', whereabouts);
  if (start === undefined || end === undefined) return undefined;
  return { ...start, endUtcOffsetS: end.utcOffsetS, endLocalDate: end.localDate, durationS: (session.end - session.start) / 1000 };
}

/** A nightly value (HRV, SpO2, temperature) belongs to the day of the sleep that it was measured in, where we know which that is. */
export function nightDate(sleep: CivilDate | undefined, clues: DateClues, whereabouts: Whereabouts): CivilDate | undefined {
  return sleep ?? civilDate(clues, whereabouts);
}

/**
 * What becomes of a date once more is known of a person's zones. Only dates that rest on the customer's word or on nothing may move; a
 * profile that changes now says nothing about then.
 * @returns undefined when the record stays as it is.
 */
export function redated(held: CivilDate, clues: DateClues, whereabouts: Whereabouts): CivilDate | undefined {
  if (!isWeak(held.dateBasis)) return undefined;
  const date = civilDate(clues, whereabouts);
  return date === undefined || (date.localDate === held.localDate && date.dateBasis === held.dateBasis) ? undefined : date;
}

/** Whether a date rests on what a customer said or on nothing, and so may move. */
export function isWeak(basis: DateBasis): boolean {
  return basis === 'fallback_zone' || basis === 'utc_assumed';
}

/** The zone that a profile named at an instant; undefined before the first. */
export function zoneAt(profile: readonly ZonePeriod[], at: number): string | undefined {
  return profile
    .filter((period) => period.validFrom <= at)
    .reduce<ZonePeriod | undefined>((last, period) => (last === undefined || period.validFrom >= last.validFrom ? period : last), undefined)
    ?.zone;
}

/** One sleep of a day, as far as it matters for which of them is the night. */
export interface SleepOfDay {
  readonly recordId: string;
  readonly durationS: number;
  readonly isNap: boolean;
  /** What the provider says; undefined when it does not. */
  readonly isMain: boolean | undefined;
}

/** The main sleep among those that end on one day: the one that the provider names, else the longest that is no nap. */
export function mainSleep(sleeps: readonly SleepOfDay[]): string | undefined {
  const named = sleeps.filter((sleep) => sleep.isMain === true);
  const nights = named.length > 0 ? named : sleeps.filter((sleep) => !sleep.isNap && sleep.isMain !== false);
  return [...nights].sort((a, b) => b.durationS - a.durationS || (a.recordId < b.recordId ? -1 : 1))[0]?.recordId;
}

function civilDateOf(session: SessionClues, edge: 'start' | 'end', whereabouts: Whereabouts): CivilDate | undefined {
  const { label, labelShift, zone } = session;
  const offsetS = edge === 'start' ? session.startOffsetS : session.endOffsetS;
  return civilDate({ label, labelShift, at: session[edge], offsetS, zone }, whereabouts);
}

/** A watch can be set to any offset within a day, and the date that its owner saw is the right one: such a one is used and counted. */
function usable(offsetS: number | undefined, anomalies: DateAnomaly[]): number | undefined {
  if (offsetS === undefined) return undefined;
  if (!Number.isInteger(offsetS) || Math.abs(offsetS) > 86_400) {
    anomalies.push('offset_refused');
    return undefined;
  }
  if (offsetS < -12 * 3600 || offsetS > 14 * 3600) anomalies.push('offset_unusual');
  return offsetS;
}

function known(zone: string | undefined, anomalies: DateAnomaly[]): string | undefined {
  if (zone === undefined || isZone(zone)) return zone;
  if (!anomalies.includes('zone_refused')) anomalies.push('zone_refused');
  return undefined;
}
