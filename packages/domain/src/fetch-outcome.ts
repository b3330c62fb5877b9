import type { HealthRecord } from './health-record.js';

/**
 * What one read of one window can end in. Only `records` and `gone` change what we hold; the rest say when, or whether, to
 * look again.
 */
export type FetchOutcome =
  | {
      readonly is: 'records';
      /** Every page was read. */
      readonly complete: boolean;
      readonly records: readonly HealthRecord[];
      /** Paths of documents that are not of the shape we know. They are left out, the rest counts, and a person must look. */
      readonly faults?: readonly string[];
      /** The zone that the provider's profile names now, where the read tells it. */
      readonly profileZone?: string;
      /** What was shown is the state of when it was told, as of a push, and not that of now. Epoch milliseconds. */
      readonly asTold?: number;
    }
  /** The provider told us of it and cannot show it yet. */
  | { readonly is: 'not-ready' }
  /** Too many calls. `retryAt`: epoch milliseconds. Costs no attempt. */
  | { readonly is: 'rate-limited'; readonly retryAt: number }
  | { readonly is: 'unauthorised' }
  | { readonly is: 'forbidden'; readonly scope: string }
  /** The provider answered that the object does not exist. */
  | { readonly is: 'gone' }
  | { readonly is: 'transient'; readonly code: string }
  /** The answer is not of the shape we know: `detail` names the path of the fault, never a value. */
  | { readonly is: 'drift'; readonly detail: string };
