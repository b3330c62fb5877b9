import type { Scope } from '@tributary/domain';

/** What a delivery has come to; `missing`: the endpoint was never owed the event. What waits or is being sent is never recovered. */
export type RecoveredState = 'failed' | 'cancelled' | 'delivered' | 'missing';

/** Which deliveries are sent again. Undefined: whatever it is. */
export interface RecoveryWish {
  readonly kind: 'recover' | 'replay_missing' | 'replay';
  /** Undefined: every endpoint that is enabled. */
  readonly endpointId: string | undefined;
  readonly eventTypes: readonly string[] | undefined;
  readonly userIds: readonly string[] | undefined;
  readonly providers: readonly string[] | undefined;
  readonly metrics: readonly string[] | undefined;
  readonly states: readonly RecoveredState[];
  /** Deliveries that exist are sent again only if the endpoint would be owed the event today; missing ones are judged so always. */
  readonly byFilters: boolean;
  /** When the event occurred, inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/** Revisions: events after `reached`, up to `toRevision`. */
export interface RecoveryReach {
  readonly reached: number;
  readonly toRevision: number;
}

export interface RecoveryRow extends Scope, RecoveryReach, RecoveryWish {
  readonly id: string;
  readonly state: 'running' | 'completed' | 'cancelled';
  /** Deliveries that matched at the beginning. */
  readonly total: number;
  /** Deliveries made due so far. */
  readonly queued: number;
  /** Null: of no endpoint, or its endpoint is gone. */
  readonly endpointStatus: 'enabled' | 'disabled' | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}
