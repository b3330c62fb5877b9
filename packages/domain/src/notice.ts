import type { Version } from './version.js';
import type { Window } from './window.js';

/** `changed`: go and look. `deleted`: the provider says it is gone, go and see that it is. */
export type NoticeKind = 'changed' | 'deleted';

/** One pointer inside a delivery, in our words. Carries no value: a value is only ever read from the provider. */
export interface Notice {
  /** The provider's id for the person, always text (64-bit ids do not fit a JS number). */
  readonly subjectId: string;
  /** The provider's name of what is fetched as a unit, e.g. `daily_activity`; it may hold several metrics. */
  readonly collection: string;
  readonly kind: NoticeKind;
  readonly window: Window;
  /** The provider's own time of the change; undefined when it gives none. Never the time of arrival. */
  readonly version: Version | undefined;
}
