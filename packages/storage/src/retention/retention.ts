import type { Scope } from '@tributary/domain';

/** How many days an environment keeps what. */
export interface Retention {
  /** Verified bodies of webhooks. */
  readonly bodyDays: number;
  /** Events, their deliveries and attempts. */
  readonly eventDays: number;
  /** Records, by their civil date; null: until the person is erased. */
  readonly recordDays: number | null;
}

/** An environment, with what the task that keeps to it must know. */
export interface KeptEnvironment extends Scope, Retention {
  /** No body from before is left. */
  readonly bodiesClearedTo: Date;
  /** Bodies from before may not be left. */
  readonly bodiesUntil: Date;
}

/** `select` list of {@link Retention}. */
export const retentionColumns = 'body_days as "bodyDays", event_days as "eventDays", record_days as "recordDays"';
