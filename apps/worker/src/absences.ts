import {
  ABSENCE_APART_MS,
  type FusedAbsences,
  type NoProof,
  type WindowRead,
  type Zone,
  absencesOf,
  addDays,
  civilDayAt,
  closesAt,
  fuse,
  providerDay,
} from '@tributary/domain';
import type { CollectionFacts, Provider } from '@tributary/providers';
import { newId } from '@tributary/service-shell';
import {
  type AbsenceLetter,
  type ClaimedWindow,
  type MissingRow,
  type NewlyMissing,
  type RowOfDays,
  closeAbsenceLetters,
  countRows,
  drawRevisions,
  endMissing,
  forgetMissing,
  holdConnection,
  inTransaction,
  insertEvents,
  lockPeople,
  noteMissing,
  openAbsenceLetter,
  openLook,
  openObjectLooks,
  readConfirmedMissing,
  readHeldOfDays,
  readMissing,
  rowName,
} from '@tributary/storage';
import { withdraw } from './withdraw.js';
import type { WorkerContext } from './worker-context.js';

/** A read of whole days that was written: every page of it, nothing left out. */
export interface CompleteRead {
  readonly provider: Provider;
  /** Names of the rows that it showed. */
  readonly shown: ReadonlySet<string>;
  /** What the token could read. */
  readonly scopes: readonly string[];
  /** Start of the read, microseconds since the epoch. */
  readonly readVersion: number;
}

export interface AbsenceOutcome {
  readonly endpoints: readonly string[];
  /** Rows that were marked as gone. */
  readonly gone: number;
  /** Rows that would have been, had there not been so many. */
  readonly held: number;
}

const nothing: AbsenceOutcome = { endpoints: [], gone: 0, held: 0 };

/** A look is asked for a little later than it may count, since clocks differ. */
const SPARE_MS = 60_000;
/** So long after a list that lacked it a document is asked for: what is out of order for a moment is in order again. */
const LOOK_APART_MS = 600_000;
/** So many single days are looked at again one by one; more of them in one read. */
const MAX_LOOKS = 10;
const MAX_LOOK_DAYS = 30;

/**
 * What follows from what a read did not show (contract §5.5). A row that two complete reads a day apart lack, of a closed day, goes; unless
 * a good part of all that we hold of the connection is missing at once, which is more likely a fault: then nothing goes, and a letter asks
 * a person. The look that can confirm an absence is asked for here, so that it does not hang on how far back sweeps reach.
 *
 * A transaction of its own, after that of the read: killed in between, the next read of the day says the same.
 */
export async function followAbsences(
  context: Pick<WorkerContext, 'pool' | 'clock'>,
  window: ClaimedWindow,
  read: CompleteRead,
): Promise<AbsenceOutcome> {
  const facts = read.provider.collections[window.collection];
  if (window.windowKind !== 'days' || facts === undefined || !isWorthJudging(facts, read.shown)) return nothing;
  const { pool } = context;
  const days = { ...window, from: window.windowStart, to: window.windowEnd };
  const now = context.clock();
  const held = (await readHeldOfDays(pool, days)).filter((row) => isWithin(facts, row.localDate, now));
  const absent = held.filter((row) => !read.shown.has(rowName(row)));
  if (facts.authoritative === 'by_id') return absent.length === 0 ? nothing : askForEach(context, window, absent, read);
  const before = await readMissing(pool, days);
  if (absent.length === 0 && before.length === 0) return nothing;
  if (before.length > 0) {
    await forgetMissing(pool, days, absent.map(rowName));
    if (absent.length === 0) await closeAbsenceLetters(pool, window, window.connectionId);
  }
  if (absent.length === 0) return nothing;

  const judged = judge(absent, before, { window, read, now });
  await noteMissing(pool, { ...window, ...sightOf(read) }, judged.noted);
  for (const look of judged.looks) await openLook(pool, { ...window, ...look });
  return judged.noted.some(({ confirmedVersion }) => confirmedVersion !== undefined) ? endConfirmed(context, window, read) : nothing;
}

/** An answer of Google that shows nothing may be one to a question that it did not understand. */
function isWorthJudging({ authoritative = false }: CollectionFacts, shown: ReadonlySet<string>): boolean {
  return authoritative === 'unless_empty' ? shown.size > 0 : authoritative !== false;
}

/** A list that may hide what is there: each document that it lacks is asked for by its id, and that answer decides. */
async function askForEach(
  { pool, clock }: Pick<WorkerContext, 'pool' | 'clock'>,
  window: ClaimedWindow,
  absent: readonly RowOfDays[],
  read: CompleteRead,
): Promise<AbsenceOutcome> {
  const { live } = await countRows(pool, window, window.connectionId);
  const { gone, blown } = fuse([{ gone: absent.map(rowName) }], live);
  if (blown === undefined) {
    const documents = absent.filter((row) => gone.includes(rowName(row))).map(({ providerRecordId }) => providerRecordId);
    await openObjectLooks(pool, window, documents, clock() + LOOK_APART_MS);
    return nothing;
  }
  await openAbsenceLetter(pool, letterOf(window, { days: absent, read, blown }));
  return { ...nothing, held: absent.length };
}

/** What the provider does not show any more because it is old is not gone. A day less, since its days are cut where we do not know. */
function isWithin({ horizonDays }: CollectionFacts, day: string, now: number): boolean {
  return horizonDays === undefined || day > addDays(civilDayAt(now, 0), 1 - horizonDays);
}

interface Judging {
  readonly window: ClaimedWindow;
  readonly read: CompleteRead;
  readonly now: number;
}

interface Judged {
  readonly noted: readonly NewlyMissing[];
  readonly looks: readonly { readonly from: string; readonly to: string; readonly dueAt: number }[];
}

/** Rows that the first look missed, and those that must be looked for anew. */
const beginsAnew: ReadonlySet<NoProof> = new Set<NoProof>(['no_earlier_read', 'scopes_changed', 'normalizer_changed']);

function judge(absent: readonly RowOfDays[], before: readonly MissingRow[], { window, read, now }: Judging): Judged {
  const { startsAtH } = providerDay(window.provider, window.collection, []);
  const ours = windowRead(sightOf(read), read.shown);
  const noted: NewlyMissing[] = [];
  const dueOfDay = new Map<string, number>();
  for (const [earlier, rows] of byEarlierRead(absent, before)) {
    const standing = rows.map((row) => ({ row, key: rowName(row), closes: closesAt(row.localDate, zoneOf(row), startsAtH) }));
    // Of the earlier read only what it lacked is kept, and it lacked all of these.
    const verdict = absencesOf(
      standing.map(({ key, closes }) => ({ key, dayClosed: closes <= now })),
      ours,
      earlier && windowRead(earlier, new Set()),
    );
    const gone = new Set(verdict.gone);
    const anew = verdict.noProof !== undefined && beginsAnew.has(verdict.noProof);
    for (const { row, key, closes } of standing) {
      const { table, localDate } = row;
      if (gone.has(key)) noted.push({ rowName: key, table, localDate, confirmedVersion: read.readVersion });
      else {
        if (anew) noted.push({ rowName: key, table, localDate, confirmedVersion: undefined });
        const since = anew || earlier === undefined ? ours.sentAt : earlier.sentAt;
        const due = Math.max(since + ABSENCE_APART_MS, closes) + SPARE_MS;
        dueOfDay.set(localDate, Math.max(dueOfDay.get(localDate) ?? 0, due));
      }
    }
  }
  return { noted, looks: looksFor(dueOfDay) };
}

function byEarlierRead(
  absent: readonly RowOfDays[],
  before: readonly MissingRow[],
): ReadonlyMap<MissingRow | undefined, readonly RowOfDays[]> {
  const earlierOf = new Map(before.map((missing) => [missing.rowName, missing]));
  const reads = new Map<string, MissingRow>();
  const groups = new Map<MissingRow | undefined, RowOfDays[]>();
  for (const row of absent) {
    const lacking = earlierOf.get(rowName(row));
    // Shown since, by a look at the document alone: that read says nothing any more.
    const found = lacking !== undefined && row.freshFrom > lacking.sentAt ? undefined : lacking;
    const name = found && JSON.stringify([found.sentAt, found.scopes, found.normalizerVersion]);
    if (found !== undefined && name !== undefined && !reads.has(name)) reads.set(name, found);
    const earlier = name === undefined ? undefined : reads.get(name);
    groups.set(earlier, [...(groups.get(earlier) ?? []), row]);
  }
  return groups;
}

/** One read for each day, with a day on each side; for many days one that holds them all, unless it would be too wide for one. */
function looksFor(dueOfDay: ReadonlyMap<string, number>): Judged['looks'] {
  const days = [...dueOfDay.keys()].sort();
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const look = (from: string, to: string, dueAt: number) => ({ from: addDays(from, -1), to: addDays(to, 2), dueAt });
  if (days.length <= MAX_LOOKS) return days.map((day) => look(day, day, dueOfDay.get(day) as number));
  return addDays(first, MAX_LOOK_DAYS) < last ? [] : [look(first, last, Math.max(...dueOfDay.values()))];
}

type Sight = Pick<WindowRead, 'sentAt' | 'scopes' | 'normalizerVersion'>;

function windowRead({ sentAt, scopes, normalizerVersion }: Sight, keys: ReadonlySet<string>): WindowRead {
  return { sentAt, scopes, normalizerVersion, keys, status: 200, allPages: true, authoritative: true };
}

function sightOf({ provider, scopes, readVersion }: CompleteRead): Sight {
  return { sentAt: readVersion / 1000, scopes, normalizerVersion: provider.normalizerVersion ?? 1 };
}

function zoneOf({ timeZone, utcOffsetS }: RowOfDays): Zone | undefined {
  return timeZone ?? utcOffsetS ?? undefined;
}

/** What two reads agree on of a connection goes, or nothing of it does. */
async function endConfirmed({ pool }: Pick<WorkerContext, 'pool'>, window: ClaimedWindow, read: CompleteRead): Promise<AbsenceOutcome> {
  const { readVersion } = read;
  return inTransaction(pool, async (client): Promise<AbsenceOutcome> => {
    await lockPeople(client, window, [window]);
    const confirmed = await readConfirmedMissing(client, window, window.connectionId);
    if (confirmed.length === 0) return nothing;
    const { live, missing } = await countRows(client, window, window.connectionId);
    // All that is missing counts, confirmed or not: the run is whatever vanished together, however many reads it takes to see it.
    const vanished = Array.from({ length: Math.max(missing, confirmed.length) }, (_, n) => String(n));
    const { blown } = fuse([{ gone: vanished }], live);
    const revision = blown === undefined ? await drawRevisions(client, window, confirmed.length) : 0;
    if (!(await holdConnection(client, window, window.connectionId))) return nothing;
    if (blown !== undefined) {
      const days = confirmed.filter(({ collection }) => collection === window.collection);
      await openAbsenceLetter(client, letterOf(window, { days, read, blown }));
      await endMissing(client, window, window.connectionId, true);
      return { ...nothing, held: confirmed.length };
    }
    const events = await withdraw(client, window, { rows: confirmed, revision, reason: 'absent_confirmed', readVersion });
    await endMissing(client, window, window.connectionId, false);
    const endpoints = await insertEvents(
      client,
      window,
      events.map((event) => ({ ...event, id: newId('evt'), userId: window.userId })),
    );
    return { endpoints, gone: events.length, held: 0 };
  });
}

interface Vanished {
  readonly days: readonly RowOfDays[];
  readonly read: CompleteRead;
  readonly blown: NonNullable<FusedAbsences['blown']>;
}

/** One letter, for the collection whose read said so. */
function letterOf(window: ClaimedWindow, { days, read, blown }: Vanished): AbsenceLetter {
  const { tenantId, environment, connectionId, collection, windowStart } = window;
  const dates = days.map(({ localDate }) => localDate).sort();
  const [from = windowStart, last = windowStart] = [dates[0], dates.at(-1)];
  const { normalizerVersion } = sightOf(read);
  const detail = `${blown.vanished} of ${blown.of} rows`;
  return { tenantId, environment, connectionId, id: newId('dl'), collection, from, to: addDays(last, 1), detail, normalizerVersion };
}
