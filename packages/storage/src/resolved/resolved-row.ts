import type { PriorityList } from '@tributary/domain';

export type ResolvedKind = 'daily' | 'session' | 'measurement' | 'series';

/** Names one row of the resolved view among those of its environment. */
export interface ResolvedKey {
  readonly userId: string;
  readonly kind: ResolvedKind;
  /** `sleep_session` and `workout` for sessions. */
  readonly metric: string;
  readonly localDate: string;
  /** Of a session the one that stands for it; empty where a day has one only. */
  readonly item: string;
}

/** A row of a source, among those of its user and metric. */
export interface SourceRef {
  readonly provider: string;
  readonly sourceId: string;
  /** Null for what a source has one of a day. */
  readonly recordId: string | null;
}

/** How it came to be picked; stored and shown as it is. */
export interface Resolution {
  readonly picked: SourceRef | null;
  readonly rule: 'platform_merged' | 'priority' | 'hysteresis' | 'latest' | 'cluster' | 'per_span' | 'intraday' | 'nothing';
  /** What is shown is nobody's own value; the picked row is the one that lends it everything else. Absent: shown as it was picked. */
  readonly derivation?: 'computed';
  /** Of a computed total: of how many quarters of an hour whose samples were taken, best source first. */
  readonly quarters?: readonly (SourceRef & { readonly count: number })[];
  /** Best first. */
  readonly candidates: readonly (SourceRef & {
    readonly skipped: 'echo' | 'not_merged' | 'low_coverage' | 'other_interval' | 'also_recorded' | null;
    /** The row that it repeats. */
    readonly echoOf: SourceRef | null;
  })[];
  /** Whom the rules would have picked, had its lead lasted. */
  readonly challenger: SourceRef | null;
  /** Of series: whose samples stand for which part of the day. */
  readonly spans?: readonly { readonly from: string; readonly to: string; readonly picked: SourceRef }[];
  readonly resolverVersion: number;
}

/** How a row of the view stands. */
export interface ResolvedState extends ResolvedKey {
  readonly resolution: Resolution;
  readonly contentHash: Buffer;
  readonly revision: number;
  readonly deleted: boolean;
  /** It waits to be looked at again. */
  readonly waits: boolean;
}

export type ResolvedChange = 'created' | 'updated' | 'restored' | 're_resolved' | 'deleted';

/** A row to write. */
export interface ResolvedRow extends ResolvedKey {
  readonly resolution: Resolution;
  readonly contentHash: Buffer;
  /** Undefined: what is shown is what was shown, and only the grounds are others. */
  readonly change: ResolvedChange | undefined;
  readonly revision: number;
  readonly deleted: boolean;
  /** Milliseconds until it is to be looked at once more; undefined: only when a source changes. */
  readonly judgeAgainMs: number | undefined;
  /** In the unit of the metric; undefined: the picked row's value is shown. */
  readonly computedValue: number | undefined;
  /** Of a row that goes: whose record it showed until now. */
  readonly showed?: SourceRef | undefined;
}

/** A metric's day of a user, of which a source changed or a list did. */
export interface TouchedDay {
  readonly userId: string;
  readonly kind: ResolvedKind;
  readonly metric: string;
  readonly localDate: string;
}

/** What a tenant prefers for one metric; `userId` null: for everybody who has no list of their own. */
export interface StoredPriority {
  readonly userId: string | null;
  readonly metric: string;
  readonly entries: PriorityList;
  readonly updatedAt: Date;
}
