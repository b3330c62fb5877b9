import type { Source } from '@tributary/domain';

/** What every record is listed with. */
export interface ShownDatum {
  readonly userId: string;
  readonly connectionId: string;
  readonly provider: string;
  readonly sourceId: string;
  readonly localDate: string;
  readonly source: Source;
  readonly dateBasis: string;
  readonly dayModel: string;
  readonly utcOffsetS: number | null;
  readonly provisional: boolean;
  /** Microseconds since the epoch. */
  readonly version: number;
  readonly inferred: boolean;
  readonly revision: number;
}

/** `select` list of {@link ShownDatum}. */
export const shownDatum = `user_id as "userId", connection_id as "connectionId", provider, source_id as "sourceId", local_date as "localDate", source,
        date_basis as "dateBasis", day_model as "dayModel", utc_offset_s as "utcOffsetS", provisional or unsettled as provisional, version, inferred, revision`;
