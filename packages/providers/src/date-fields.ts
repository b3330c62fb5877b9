import { type CivilDate, type Dated, type ProviderDay, type Whereabouts, closesAt, isProvisional } from '@tributary/domain';

/** What dates and their standing rest on beside the record. */
export interface ReadAt {
  /** Epoch milliseconds of the read. */
  readonly now: number;
  readonly whereabouts: Whereabouts;
}

/** How far a record is from its last word. */
export interface Standing {
  /** Epoch milliseconds of the read. */
  readonly now: number;
  /** Nothing more comes once it is there (a workout), or it runs until its day has closed (the default). */
  readonly closes?: 'at_once' | 'with_its_day';
  readonly providerSays?: 'open' | 'tentative' | 'final' | undefined;
  /** End of what was recorded, epoch milliseconds; matters for what is tentative. */
  readonly end?: number;
  /** Seconds east of UTC at the end of its day, where that is known and another than at the start. */
  readonly endOffsetS?: number | undefined;
}

export type DateFields = Pick<
  Dated,
  'localDate' | 'dateBasis' | 'dayModel' | 'utcOffsetS' | 'timeZone' | 'tzdb' | 'providerDate' | 'datedAt' | 'provisional'
>;

/** A date of the ladder as the fields of a record. */
export function dateFields(date: CivilDate, { dayModel, startsAtH }: ProviderDay, standing: Standing): DateFields {
  const { now, closes = 'with_its_day', providerSays, end = now, endOffsetS } = standing;
  const zone = date.timeZone ?? endOffsetS ?? date.utcOffsetS;
  return {
    localDate: date.localDate,
    dateBasis: date.dateBasis,
    dayModel,
    utcOffsetS: date.utcOffsetS,
    timeZone: date.timeZone,
    tzdb: date.tzdb,
    providerDate: date.providerDate,
    ...(date.datedAt !== undefined && { datedAt: date.datedAt }),
    provisional: isProvisional(
      {
        closesAt: closes === 'at_once' ? -Infinity : closesAt(date.localDate, zone, startsAtH),
        providerSays,
        end,
        placeUnknown: date.provisional,
      },
      now,
    ),
  };
}
