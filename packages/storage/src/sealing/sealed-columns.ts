/** One column that holds what a key ring sealed. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** What the value is bound to, of the row's id: as whoever seals it says. */
  readonly context: (id: string) => string;
}

/**
 * Every column whose values outlive a change of keys, to be sealed anew. A test reads the catalogs and fails when a column of bytes stands
 * neither here nor in {@link notResealed}.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'provider_app_secret', column: 'sealed', context: (id) => `provider_app_secret:${id}` },
  { table: 'endpoint_secret', column: 'sealed', context: (id) => `endpoint_secret:${id}` },
  { table: 'connection', column: 'access_token', context: (id) => `connection:${id}:access` },
  { table: 'connection', column: 'refresh_token', context: (id) => `connection:${id}:refresh` },
  { table: 'upstream_revocation', column: 'access_token', context: (id) => `upstream_revocation:${id}` },
  { table: 'upstream_revocation', column: 'subject_id', context: (id) => `upstream_revocation:${id}:subject` },
];

/** Columns of bytes that are left as they are, and why. */
export const notResealed: Readonly<Record<string, string>> = {
  'api_key.hash': 'a hash',
  'kept_answer.idempotency_hash': 'a hash',
  'kept_answer.request_hash': 'a hash',
  'kept_answer.sealed_answer': 'gone after a day; one that cannot be opened answers a conflict, and nothing is done twice',
  'connect_session.state_hash': 'a hash',
  'connect_session.browser_hash': 'a hash',
  'connect_link.browser_hash': 'a hash',
  'subject_tombstone.subject_hash': 'a keyed hash of what is not known any more: its key stays in the ring',
  'webhook_delivery.body_hash': 'a hash',
  'webhook_delivery.raw_body': 'as it came',
  'webhook_notice.carried': 'gone with its partition after nine days; a callback is worthless long before',
  'dead_letter.body_hash': 'a hash',
  'daily_rollup.content_hash': 'a hash',
  'daily_rollup.input_hash': 'a hash',
  'session_record.content_hash': 'a hash',
  'session_record.input_hash': 'a hash',
  'measurement_record.content_hash': 'a hash',
  'measurement_record.input_hash': 'a hash',
  'series_day.content_hash': 'a hash',
  'series_day.input_hash': 'a hash',
  'resolved_record.content_hash': 'a hash',
  'event.data': 'what customers are told, which they may read',
  'delivery_attempt.response_body': 'what customers answered',
};
