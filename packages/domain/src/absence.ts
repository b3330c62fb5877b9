/** A row that we hold of the window that was read. */
export interface HeldOfWindow {
  readonly key: string;
  /** Its day is closed (closed-day.ts): an open one may still be filled. */
  readonly dayClosed: boolean;
}

/** What one read of a window amounts to. */
export interface WindowRead {
  readonly sentAt: number;
  /** HTTP status; what a provider says inside of a 200 is an outcome of its own and never gets here. */
  readonly status: number;
  /** Every page was read. */
  readonly allPages: boolean;
  /** This endpoint shows all that the provider holds of the window: no upload windows, no horizon of 28 days, no backfill limit. */
  readonly authoritative: boolean;
  /** What the token may read. */
  readonly scopes: readonly string[];
  readonly normalizerVersion: number;
  readonly keys: ReadonlySet<string>;
}

/** Why nothing follows from what a read does not show. */
export type NoProof =
  | 'not_ok'
  | 'pages_missing'
  | 'not_authoritative'
  | 'scopes_changed'
  | 'normalizer_changed'
  | 'no_earlier_read'
  | 'too_soon';

/** What one read of one window says of what it does not show. */
export interface Absences {
  /** As good as gone, if the fuse of the run holds. */
  readonly gone: readonly string[];
  /** Not shown now; another read may confirm it. */
  readonly missing: readonly string[];
  /** Why a missing row is not gone yet; undefined when nothing of the read stands against it. */
  readonly noProof: NoProof | undefined;
}

/** What a run over the windows of one connection may mark as gone. */
export interface FusedAbsences {
  /** Tombstones with the reason `absent_confirmed`; none when the fuse has blown. */
  readonly gone: readonly string[];
  /** So much vanished at once that a person must look first. */
  readonly blown: { readonly vanished: number; readonly of: number } | undefined;
}

/** Two reads that agree must be this far apart. */
export const ABSENCE_APART_MS = 86_400_000;
/** From this share of a connection's rows on, and never fewer than so many, an absence is more likely our fault than the person's wish. */
const FUSE_SHARE = 0.2;
const FUSE_AT_LEAST = 5;

/**
 * An empty answer is no deletion. Rows count as gone only when two complete reads of an authoritative window, a day apart, with the same
 * rights and the same parser, both lack them, their day is closed, and they are few ({@link fuse}). (Google answers a filter that it does
 * not understand with 200 and nothing; an activity turned private vanishes; Polar forgets after 28 days.)
 * @param earlier the read of this window that this one is to agree with; undefined when there was none.
 */
export function absencesOf(held: readonly HeldOfWindow[], read: WindowRead, earlier: WindowRead | undefined): Absences {
  const absent = held.filter(({ key }) => !read.keys.has(key));
  const missing = absent.map(({ key }) => key);
  const noProof = faultOf(read) ?? againstEarlier(read, earlier);
  if (noProof !== undefined || earlier === undefined) return { gone: [], missing, noProof };
  const gone = absent.filter(({ key, dayClosed }) => dayClosed && !earlier.keys.has(key)).map(({ key }) => key);
  return { gone, missing, noProof: undefined };
}

/**
 * Blows for a whole run, however many windows it read: five rows in each of ten windows are fifty.
 * @param rowsOfConnection how many live rows the connection had when the run began.
 */
export function fuse(run: readonly Pick<Absences, 'gone'>[], rowsOfConnection: number): FusedAbsences {
  const gone = [...new Set(run.flatMap((window) => window.gone))];
  const blown = gone.length >= Math.max(FUSE_AT_LEAST, FUSE_SHARE * rowsOfConnection);
  return blown ? { gone: [], blown: { vanished: gone.length, of: rowsOfConnection } } : { gone, blown: undefined };
}

function faultOf(read: WindowRead): NoProof | undefined {
  if (read.status !== 200) return 'not_ok';
  if (!read.allPages) return 'pages_missing';
  return read.authoritative ? undefined : 'not_authoritative';
}

function againstEarlier(read: WindowRead, earlier: WindowRead | undefined): NoProof | undefined {
  if (earlier === undefined || faultOf(earlier) !== undefined) return 'no_earlier_read';
  if (!sameScopes(read.scopes, earlier.scopes)) return 'scopes_changed';
  if (read.normalizerVersion !== earlier.normalizerVersion) return 'normalizer_changed';
  return read.sentAt - earlier.sentAt < ABSENCE_APART_MS ? 'too_soon' : undefined;
}

function sameScopes(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size === right.size && [...left].every((scope) => right.has(scope));
}
