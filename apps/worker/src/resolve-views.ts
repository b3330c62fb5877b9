import { type PriorityLists, SERIES_SPAN_S, type Scope, totalOfSeries } from '@tributary/domain';
import {
  type ResolvedRow,
  type ResolvedState,
  type Sql,
  type StoredPriority,
  type TouchedDay,
  drawRevisions,
  endRenewalPart,
  holdPeople,
  holdProgress,
  inTransaction,
  moveProgress,
  postponeAgain,
  readDailyCandidates,
  readDueAgain,
  readIntraday,
  readMeasurementCandidates,
  readPriorities,
  readRenewal,
  readResolved,
  readSeriesCandidates,
  readSessionCandidates,
  readTouched,
  writeResolved,
} from '@tributary/storage';
import { daysAround, judgeSessions } from './plan-resolved-sessions.js';
import { judgeDaily, seriesToRead, judgeMeasurements, judgeSeries, resolvedRow } from './plan-resolved.js';
import { tellView } from './tell-view.js';
import type { WorkerContext } from './worker-context.js';

/** Of one transaction: changes of sources, days that are looked at again, and users of a list that changed. */
const EVENTS = 500;
const AGAIN = 200;
const USERS = 50;

export interface ResolvedPart {
  /** Rows of the view that show something else now. */
  readonly changed: readonly ResolvedRow[];
  /** Endpoints that are owed something now. */
  readonly endpoints: readonly string[];
  readonly more: boolean;
}

/**
 * Brings the resolved view of one environment a part further: days of which a source changed, by the events that told of it. How far
 * it came is written with the rows, so a process that is killed has lost nothing and done nothing twice.
 *
 * The counter is drawn before a person is held or a row is written, as everywhere, so nobody can deadlock with us.
 */
export function resolveViews(context: Pick<WorkerContext, 'pool' | 'clock' | 'providers' | 'log'>, scope: Scope): Promise<ResolvedPart> {
  return inTransaction(context.pool, async (client) => {
    const { upto, basis } = await holdProgress(client, scope);
    const touched = await readTouched(client, scope, { after: upto, upto: basis, limit: EVENTS });
    const caughtUp = touched.taken < EVENTS;
    const again = await readDueAgain(client, scope, AGAIN);
    const renewal = caughtUp ? await readRenewal(client, scope, USERS) : undefined;
    const told = distinct([...touched.days, ...again]);
    const bySamples = leftOut(distinct(touched.days.flatMap(totalsOf)), told);
    const days = [...told, ...bySamples];
    const failed: TouchedDay[] = [];
    const judged = await judge(context, client, scope, { days, renewed: false, failed, bySamples: new Set(bySamples.map(nameOf)) });
    const renewed = await judge(context, client, scope, { days: leftOut(renewal?.days ?? [], days), renewed: true, failed });
    const rows = [...judged, ...renewed];
    const changes = rows.filter(({ change }) => change !== undefined).length;
    const first = changes > 0 ? await drawRevisions(client, scope, changes) : 0;
    const people = await holdPeople(client, scope, [...new Set(rows.map(({ userId }) => userId))]);
    let next = first;
    const written = rows
      .map((row) => (row.change === undefined ? row : { ...row, revision: next++ }))
      .filter(({ userId }) => people.has(userId));
    await writeResolved(client, scope, written, basis);
    const endpoints = await tellView(client, scope, written);
    await postponeAgain(client, scope, failed);
    if (renewal !== undefined) await endRenewalPart(client, scope, renewal);
    const reached = caughtUp ? basis : (touched.last ?? basis);
    // Our own revisions tell of no source: when nobody else drew any meanwhile, they need not be looked through.
    await moveProgress(client, scope, caughtUp && changes > 0 && first === basis + 1 ? first + changes - 1 : reached);
    return {
      changed: written.filter(({ change }) => change !== undefined),
      endpoints,
      more: !caughtUp || again.length === AGAIN || renewal?.lastUser !== undefined,
    };
  });
}

async function judge(
  { clock, providers, log }: Pick<WorkerContext, 'clock' | 'providers' | 'log'>,
  sql: Sql,
  scope: Scope,
  {
    days,
    renewed,
    failed,
    bySamples,
  }: { days: readonly TouchedDay[]; renewed: boolean; failed: TouchedDay[]; bySamples?: ReadonlySet<string> },
): Promise<ResolvedRow[]> {
  if (days.length === 0) return [];
  const lists = listsOf(await readPriorities(sql, scope, [...new Set(days.map(({ userId }) => userId))]));
  const rows: ResolvedRow[] = [];
  /** A fault of ours with one day keeps no other day waiting. */
  const attempt = (day: TouchedDay, work: () => void) => {
    try {
      work();
    } catch (error) {
      failed.push(day);
      const { kind, metric, localDate } = day;
      log.error({ what: 'resolved.day_failed', kind, metric, localDate, err: error });
    }
  };
  const single = days.filter(({ kind }) => kind !== 'session');
  const before = groupBy(await readResolved(sql, scope, single), nameOf);
  const of = (kind: TouchedDay['kind']) => single.filter((day) => day.kind === kind);
  const one = (day: TouchedDay, shown: () => Parameters<typeof resolvedRow>[1]) =>
    attempt(day, () => {
      const row = resolvedRow({ ...day, item: '' }, shown(), before.get(nameOf(day))?.[0], renewed);
      if (row !== undefined) rows.push(row);
    });
  const judging = ({ userId, metric }: TouchedDay) => ({ lists: lists(userId, metric), now: clock(), renewed });
  const daily = groupBy(await readDailyCandidates(sql, scope, of('daily'), [...providers.keys()]), dayOf);
  const counted = of('daily').flatMap((day) => {
    const metric = seriesToRead(day.metric, daily.get(dayOf(day)) ?? []);
    return metric === undefined ? [] : [{ ...day, metric }];
  });
  const intraday = groupBy(await readIntraday(sql, scope, counted), (row) => dayOf({ ...row, metric: totalOfSeries(row.metric) ?? '' }));
  for (const day of of('daily')) {
    const { metric, localDate } = day;
    const asked = { ...judging(day), localDate, intraday: intraday.get(dayOf(day)) ?? [], bySamples: bySamples?.has(nameOf(day)) };
    one(day, () => judgeDaily(metric, daily.get(dayOf(day)) ?? [], before.get(nameOf(day))?.[0], asked));
  }
  const measured = groupBy(await readMeasurementCandidates(sql, scope, of('measurement')), dayOf);
  for (const day of of('measurement')) one(day, () => judgeMeasurements(day.metric, measured.get(dayOf(day)) ?? [], judging(day)));
  const series = groupBy(await readSeriesCandidates(sql, scope, of('series'), SERIES_SPAN_S), dayOf);
  for (const day of of('series')) one(day, () => judgeSeries(day.metric, series.get(dayOf(day)) ?? [], judging(day)));
  const sessions = await judgeSessionDays(
    sql,
    scope,
    days.filter(({ kind }) => kind === 'session'),
    { lists, renewed, attempt },
  );
  return [...rows, ...sessions];
}

type Lists = (userId: string, metric: string) => PriorityLists;

async function judgeSessionDays(
  sql: Sql,
  scope: Scope,
  days: readonly TouchedDay[],
  { lists, renewed, attempt }: { lists: Lists; renewed: boolean; attempt: (day: TouchedDay, work: () => void) => void },
): Promise<ResolvedRow[]> {
  const around = days.map((day) => ({ day, ...daysAround(day.localDate) }));
  const known = distinct(around.flatMap(({ day, known: dates }) => dates.map((localDate) => ({ ...day, localDate }))));
  const judged = distinct(around.flatMap(({ day, judged: dates }) => dates.map((localDate) => ({ ...day, localDate }))));
  const candidates = await readSessionCandidates(
    sql,
    scope,
    known.map(({ userId, metric, localDate }) => ({ userId, kind: metric === 'workout' ? 'workout' : 'sleep', localDate })),
  );
  const rowsOf = groupBy(candidates, ({ userId, kind }) => `${userId} ${kind === 'workout' ? 'workout' : 'sleep_session'}`);
  const before = groupBy(await readResolved(sql, scope, judged), ({ userId, metric }) => `${userId} ${metric}`);
  const rows: ResolvedRow[] = [];
  for (const [name, dates] of groupBy(judged, ({ userId, metric }) => `${userId} ${metric}`)) {
    const [first] = dates;
    if (first === undefined) continue;
    attempt(first, () => {
      const { userId } = first;
      const metric = first.metric === 'workout' ? 'workout' : 'sleep_session';
      const question = {
        userId,
        metric,
        lists: lists(userId, metric),
        renewed,
        judged: new Set(dates.map(({ localDate }) => localDate)),
      } as const;
      rows.push(...judgeSessions(rowsOf.get(name) ?? [], before.get(name) ?? [], question));
    });
  }
  return rows;
}

function listsOf(stored: readonly StoredPriority[]): Lists {
  const found = new Map(stored.map(({ userId, metric, entries }) => [`${userId ?? ''} ${metric}`, entries]));
  return (userId, metric) => ({ ofUser: found.get(`${userId} ${metric}`), ofTenant: found.get(` ${metric}`) });
}

function nameOf({ userId, kind, metric, localDate }: TouchedDay | ResolvedState): string {
  return JSON.stringify([userId, kind, metric, localDate]);
}

function dayOf({ userId, metric, localDate }: Omit<TouchedDay, 'kind'>): string {
  return JSON.stringify([userId, metric, localDate]);
}

/** What may have been computed from the samples that changed. */
function totalsOf(day: TouchedDay): TouchedDay[] {
  const total = day.kind === 'series' ? totalOfSeries(day.metric) : undefined;
  return total === undefined ? [] : [{ ...day, kind: 'daily', metric: total }];
}

function distinct(days: readonly TouchedDay[]): TouchedDay[] {
  return [...new Map(days.map((day) => [nameOf(day), day])).values()];
}

function leftOut(days: readonly TouchedDay[], others: readonly TouchedDay[]): TouchedDay[] {
  const names = new Set(others.map(nameOf));
  return days.filter((day) => !names.has(nameOf(day)));
}

function groupBy<T>(all: readonly T[], name: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(name(one));
    if (group === undefined) groups.set(name(one), [one]);
    else group.push(one);
  }
  return groups;
}
