import type { CallClass } from '@tributary/domain';
import type { ProviderReply } from '@tributary/providers';

/** There are no calls left for a while, by our count or by the provider's word. No attempt was made, or it was refused for its rate. */
export class CallsRefused extends Error {
  override readonly name = 'CallsRefused';
  constructor(readonly pause: Pause) {
    super(`No calls left for ${pause.scope}`);
  }
}

/** Who waits, and how long. */
export interface Pause {
  readonly scope: 'app' | 'connection';
  /** Reads of this class wait, and of those that come after it. */
  readonly kind: CallClass;
  /** Milliseconds from now, jitter included. */
  readonly waitMs: number;
  /** Between one and the next of those that wait. */
  readonly spacingMs: number;
  /** Nobody else has to: there are calls left, only fewer than this read needs. */
  readonly alone?: true;
}

export interface Ask {
  readonly calls: number;
  readonly kind: CallClass;
  /** Rather one than none. */
  readonly orOne?: boolean;
}

/** Calls that are ours to make. */
export interface TakenCalls {
  readonly calls: number;
  /** Of which window each bucket gave them, by the bucket's key; undefined for those without windows. */
  readonly ofWindows: ReadonlyMap<string, number | undefined>;
  /** Milliseconds from now: afterwards the windows have ended, and unused calls with them. */
  readonly goodForMs: number;
}

export interface Answered {
  readonly reply: ProviderReply;
  /** By the monotonic clock. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** What happened since the buckets were looked at last. */
export interface Report {
  readonly answer?: Answered | undefined;
  readonly unused?: TakenCalls | undefined;
}
