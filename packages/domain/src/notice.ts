import type { Version } from './version.js';
import type { Window } from './window.js';

/** `changed`: go and look. `deleted`: the provider says it is gone, go and see that it is. */
export type NoticeKind = 'changed' | 'deleted';

/**
 * The collection that every provider has: the grant itself. A deauthorisation, a deregistration or a change of permissions is a
 * pointer like any other, to be looked at and not believed: most of them come without a signature.
 */
export const grantCollection = 'grant';

/** One pointer inside a delivery, in our words. A value is only ever read from the provider. */
export interface Notice {
  /** The provider's id for the person, always text (64-bit ids do not fit a JS number). */
  readonly subjectId: string;
  /** The provider's name of what is fetched as a unit, e.g. `daily_activity`; it may hold several metrics. */
  readonly collection: string;
  readonly kind: NoticeKind;
  readonly window: Window;
  /** The provider's own time of the change; undefined when it gives none. Never the time of arrival. */
  readonly version: Version | undefined;
  /**
   * The data itself, for providers that cannot be asked for it (Garmin's push). Kept only when the body is signed, or when the app's
   * operator has said in so many words that this provider's unsigned payloads are to be taken.
   */
  readonly carried?: Uint8Array;
  /** Where the provider shows what it points at, letter by letter. It holds a key to it, so it is a secret: kept sealed, never in a log. */
  readonly callback?: string;
}
