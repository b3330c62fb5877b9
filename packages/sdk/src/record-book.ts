import { type VerifiedEvent } from './events.js';

export type Applied =
  | 'applied'
  /** What is held is as new, or newer. */
  | 'stale'
  /** The person was erased; nothing is kept. */
  | 'erased'
  /** The event carries no record. */
  | 'no-record';

/** Holds one value for each key, the newest, whatever the order in which events come and however often. */
export interface RecordBook {
  applyIfNewer(event: VerifiedEvent): Promise<Applied>;
}
