import type { SleepDetail, Source, Version } from '@tributary/domain';
import { type StoredDatum, compare } from './daily-row.js';

export interface SessionRow extends StoredDatum {
  readonly kind: 'sleep';
  readonly recordId: string;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly endUtcOffsetS: number | undefined;
  readonly detail: SleepDetail;
}

/** Names a session among those of one owner; its date may move. */
export type SessionKey = Pick<SessionRow, 'kind' | 'sourceId' | 'recordId'>;

export interface HeldSession extends SessionKey {
  readonly localDate: string;
  readonly version: Version;
  readonly contentHash: Buffer;
  readonly deleted: boolean;
  readonly providerRecordId: string;
  readonly source: Source;
}

export function bySessionKey(a: SessionKey, b: SessionKey): number {
  return compare(a.kind, b.kind) || compare(a.sourceId, b.sourceId) || compare(a.recordId, b.recordId);
}
