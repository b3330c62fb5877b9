/** Paths below the API's address, read with an API key. */
export interface RecordLinks {
  /** The record at the revision of the event; 410 once it was replaced or deleted. */
  readonly self: string;
  /** The record as it is when you ask; of the resolved view as a list. */
  readonly latest: string;
}

/** How a value of the resolved view was picked. */
export interface Resolution {
  /** Whose record is shown; null when nothing is any more. */
  readonly picked: { readonly provider: string; readonly sourceId: string; readonly recordId: string | null } | null;
  readonly rule: 'platform_merged' | 'priority' | 'hysteresis' | 'latest' | 'cluster' | 'per_span' | 'intraday' | 'nothing';
  /** The value is no source's own. */
  readonly derivation?: 'computed' | undefined;
}

/** What only events of the resolved view have. */
export interface OfView {
  /**
   * It tells of the resolved view, which has revisions and keys of its own: one value of a user, metric and day, whatever provider and source
   * it is shown from.
   */
  readonly view?: 'resolved' | undefined;
  readonly resolution?: Resolution | undefined;
}
