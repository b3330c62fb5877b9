import type { NoticeKind } from './notice.js';
import type { Version } from './version.js';

export type WindowState = 'waiting' | 'fetching' | 'settled' | 'parked' | 'dead';

/** What of a window decides what a notice does to it. Times in epoch milliseconds. */
export interface WindowStanding {
  readonly state: WindowState;
  readonly expects: NoticeKind;
  /** Highest version that a notice asked for; undefined when none carried one. */
  readonly requestedVersion: Version | undefined;
  /** Highest version that a finished read is known to include. */
  readonly coveredVersion: Version | undefined;
  /** A notice came while a read was under way: read again when it ends. */
  readonly dirty: boolean;
  readonly firstRequestedAt: number;
  readonly dueAt: number;
}

export interface NoticeOfWindow {
  readonly kind: NoticeKind;
  readonly version: Version | undefined;
}

export interface Debounce {
  /** Wait this long after the newest notice. */
  readonly debounceMs: number;
  /** But not longer than this after the first one. */
  readonly maxWaitMs: number;
}

/** True: a finished read already includes what this notice tells of. */
export function isCovered(coveredVersion: Version | undefined, notice: NoticeOfWindow): boolean {
  return notice.version !== undefined && coveredVersion !== undefined && includes(coveredVersion, notice.version);
}

/** By a clock of whole seconds two events of one second have one version, so only a later second is known to include an earlier one. */
function includes(version: Version, other: Version): boolean {
  return other < version || (other === version && other % 1_000_000 !== 0);
}

/**
 * What notices of one window, in the order of their arrival, make of it. The statement `fileNotices` of packages/storage does the same
 * for many windows at once and is tested against this.
 * @returns undefined when nothing changes: every notice is covered by a finished read.
 */
export function fileNotices(
  window: WindowStanding | undefined,
  notices: readonly NoticeOfWindow[],
  { debounceMs, maxWaitMs }: Debounce,
  now: number,
): WindowStanding | undefined {
  const news = notices.filter((notice) => !isCovered(window?.coveredVersion, notice));
  const newest = news.reduce<NoticeOfWindow | undefined>(
    (best, notice) => (best === undefined || atLeastAsNew(notice, best) ? notice : best),
    undefined,
  );
  if (newest === undefined) return undefined;
  const asked = news.reduce<Version | undefined>((max, { version }) => higher(max, version), undefined);
  const fresh = {
    state: 'waiting',
    expects: newest.kind,
    requestedVersion: asked,
    coveredVersion: window?.coveredVersion,
    dirty: false,
    firstRequestedAt: now,
    dueAt: now + Math.min(debounceMs, maxWaitMs),
  } as const;
  if (window === undefined) return fresh;
  const told = {
    ...window,
    requestedVersion: higher(window.requestedVersion, asked),
    expects:
      window.requestedVersion === undefined || atLeastAsNew(newest, { version: window.requestedVersion }) ? newest.kind : window.expects,
  };
  switch (window.state) {
    case 'settled':
    case 'dead':
      return { ...told, state: 'waiting', dirty: false, firstRequestedAt: fresh.firstRequestedAt, dueAt: fresh.dueAt };
    case 'waiting': {
      // Never earlier than it stands: it may be a pause that the provider asked for.
      const ceiling = window.firstRequestedAt + maxWaitMs;
      return { ...told, dueAt: Math.max(window.dueAt, Math.min(now + debounceMs, ceiling)) };
    }
    case 'fetching': {
      // What the read under way was asked for already is no reason for another one: a copy of its notice.
      const asksMore = news.some(
        ({ version }) => version === undefined || window.requestedVersion === undefined || !includes(window.requestedVersion, version),
      );
      return { ...told, dirty: window.dirty || asksMore };
    }
    case 'parked':
      return told;
  }
}

/** One without a version is as new as its arrival: newer than any that came before it, and never outdone by an older clock. */
function atLeastAsNew(notice: { readonly version: Version | undefined }, other: { readonly version: Version | undefined }): boolean {
  return notice.version === undefined || (other.version !== undefined && notice.version >= other.version);
}

function higher(a: Version | undefined, b: Version | undefined): Version | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
