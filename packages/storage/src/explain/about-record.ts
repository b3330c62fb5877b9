import type { Scope } from '@tributary/domain';

/** Where the reads of a record are found: its document, or its day. */
export interface ExplainedPlace extends Scope {
  readonly connectionId: string;
  readonly collection: string;
  readonly documentId: string;
  readonly localDate: string;
}

/** Parameters $1 to $6 of {@link isAboutRecord}. */
export function placeValues(place: ExplainedPlace): unknown[] {
  return [place.tenantId, place.environment, place.connectionId, place.collection, place.documentId, place.localDate];
}

/** Whether a window or notice of `alias` is about the document or the day. Instants are of another calendar by up to a day. */
export function isAboutRecord(alias: string): string {
  return `${alias}.tenant_id = $1 and ${alias}.environment = $2 and ${alias}.connection_id = $3 and ${alias}.collection = $4
        and case ${alias}.window_kind
          when 'object' then ${alias}.window_start = $5
          when 'days' then ${alias}.window_start <= $6::text and ${alias}.window_end > $6::text
          when 'instants' then ${alias}.window_start < ($6::date + 2)::text and ${alias}.window_end > ($6::date - 1)::text
          else true end`;
}
