const kinds = [
  'objectReads',
  'listReads',
  'personalInfoReads',
  'readsRefused',
  'tokenExchanges',
  'tokenRefreshes',
  'tokensRefused',
  'revokes',
  'subscriptionCalls',
  'webhooksSent',
] as const;

export type CallKind = (typeof kinds)[number];
export type CallCounts = Record<CallKind, number>;

interface Line {
  readonly kind: CallKind;
  readonly subjectId: string | undefined;
  readonly collection: string | undefined;
}

/** Counts what was asked of the stand-in, for tests such as "eleven pings are one read". */
export class CallLedger {
  /** One counter for each subject, kind and collection, and so as long as there are people, not calls. */
  readonly #counters = new Map<string, { line: Line; n: number }>();

  note(kind: CallKind, subjectId?: string, collection?: string): void {
    const key = JSON.stringify([kind, subjectId, collection]);
    const counter = this.#counters.get(key);
    if (counter === undefined) this.#counters.set(key, { line: { kind, subjectId, collection }, n: 1 });
    else counter.n += 1;
  }

  /** @param subjectId undefined counts everybody's. */
  counts(subjectId: string | undefined): CallCounts & { byCollection: Record<string, CallCounts> } {
    const total = none();
    const byCollection: Record<string, CallCounts> = {};
    for (const { line, n } of this.#counters.values()) {
      if (subjectId !== undefined && line.subjectId !== subjectId) continue;
      total[line.kind] += n;
      if (line.collection !== undefined) (byCollection[line.collection] ??= none())[line.kind] += n;
    }
    return { ...total, byCollection };
  }

  clear(): void {
    this.#counters.clear();
  }
}

const none = (): CallCounts => Object.fromEntries(kinds.map((kind) => [kind, 0])) as CallCounts;
