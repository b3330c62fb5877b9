/** A request exactly as it came: nothing parsed, nothing re-encoded. */
export interface RawRequest {
  readonly method: string;
  /** Path and query as received, for schemes that sign them. */
  readonly url: string;
  readonly query: URLSearchParams;
  /** Names in lower case. A header that came twice is joined by `, ` as HTTP says, so that it cannot match a single digest. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** What we send back. `body` undefined means none at all. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
