import { type Scope, addDays, civilDayAt } from '@tributary/domain';
import { eventData } from '@tributary/handoffs';
import { type Provider, isPermitted } from '@tributary/providers';
import { newId } from '@tributary/service-shell';
import {
  type ClaimedWindow,
  type RecordOwner,
  type StoredRow,
  type Sql,
  awaitTokenRefresh,
  dropScope,
  drawRevisions,
  endPermissions,
  holdConnection,
  inTransaction,
  insertEvents,
  loadStanding,
  lockPeople,
  openLook,
  parkCollections,
  readHiddenRows,
  readRowsOfCollections,
  recordTables,
  resumeCollections,
  rowName,
  showRows,
} from '@tributary/storage';
import { reviveBackfill } from './backfill-revival.js';
import { giveUp } from './end-of-window.js';
import { type EventContent, type EventSubject, recordUpdated } from './event-of-change.js';
import { withdraw } from './withdraw.js';
import type { WorkerContext } from './worker-context.js';

export type PersonOfConnection = Scope & RecordOwner & EventSubject;

export interface PermissionsEnd {
  readonly endpoints: readonly string[];
  readonly hidden: number;
  readonly shown: number;
}

/** Rows of one transaction. */
const PAGE = 500;
/** How far back we look for what changed while we might not: further back a backfill goes. */
const LOOK_BACK_DAYS = 28;

/**
 * The scopes of a connection changed: what may not be read any more is hidden, which says nothing of what the provider holds; what may be
 * read again is shown as it was and looked at. One event tells the scopes. Killed half way, it goes on with the next window of the
 * connection, since the mark is taken away last, in the transaction of the event.
 */
export async function followPermissions(
  context: Pick<WorkerContext, 'pool' | 'clock' | 'log' | 'metrics'>,
  person: PersonOfConnection,
  provider: Pick<Provider, 'collections'>,
  scopes: readonly string[],
): Promise<PermissionsEnd> {
  const names = Object.keys(provider.collections);
  const permitted = names.filter((name) => isPermitted(provider, name, scopes));
  const forbidden = names.filter((name) => !permitted.includes(name));
  const endpoints = new Set<string>();
  let [hidden, shown] = [0, 0];
  // First: what began to be read while it was permitted must not be written behind the back of what follows.
  await parkCollections(context.pool, { ...person, collections: forbidden });
  for (let more = true; more; ) {
    const page = await inTransaction(context.pool, (client) => turnPage(client, person, { permitted, forbidden }));
    for (const id of page.endpoints) endpoints.add(id);
    hidden += page.hidden;
    shown += page.shown;
    more = page.hidden + page.shown > 0;
  }
  const reread = permitted.filter((name) => provider.collections[name]?.byDays === true);
  await awaitTokenRefresh(context.pool, person, person.userId);
  const told = await inTransaction(context.pool, async (client) => {
    const revision = await drawRevisions(client, person, 1);
    if (!(await endPermissions(client, person, person.connectionId, scopes))) return [];
    await parkCollections(client, { ...person, collections: forbidden });
    await resumeCollections(client, { ...person, collections: permitted });
    await reviveBackfill(client, person, permitted);
    if (shown > 0) await lookBack(client, person, reread, context.clock());
    return insertEvents(client, person, [scopesEvent(person, scopes, revision)]);
  });
  for (const id of told) endpoints.add(id);
  context.metrics.records.inc({ verdict: 'hidden' }, hidden);
  context.metrics.records.inc({ verdict: 'shown_again' }, shown);
  context.log.info({ what: 'connection.permissions', connectionId: person.connectionId, hidden, shown });
  return { endpoints: [...endpoints], hidden, shown };
}

/**
 * The provider refused for hours what needs this scope: what we thought we had is gone. Its own words about the whole grant are
 * believed before that, where it has any (check-grant.ts).
 */
export async function refuseScope(
  context: Pick<WorkerContext, 'pool' | 'clock' | 'providers' | 'log' | 'metrics'>,
  window: ClaimedWindow,
  scope: string,
): Promise<readonly string[]> {
  const provider = context.providers.get(window.provider);
  if (provider === undefined || !(await dropScope(context.pool, window, window.connectionId, scope))) return [];
  const standing = await loadStanding(context.pool, window, window.connectionId);
  if (standing === undefined) return [];
  return (await followPermissions(context, window, provider, standing.scopes)).endpoints;
}

/** What is not permitted is not asked for: the collection's windows wait until it is. */
export async function cancelForbidden(
  context: Pick<WorkerContext, 'pool' | 'providers'>,
  window: ClaimedWindow,
): Promise<readonly string[]> {
  const scope = context.providers.get(window.provider)?.collections[window.collection]?.scope ?? '';
  if (window.backfillId !== undefined)
    await giveUp(context, window, { bucket: 'unresolvable', code: 'forbidden', detail: `scope ${scope}` });
  else await parkCollections(context.pool, { ...window, collections: [window.collection] });
  return [];
}

interface Permissions {
  readonly permitted: readonly string[];
  readonly forbidden: readonly string[];
}

async function turnPage(client: Sql, person: PersonOfConnection, { permitted, forbidden }: Permissions): Promise<PermissionsEnd> {
  await lockPeople(client, person, [person]);
  const leaving = await readRowsOfCollections(client, { ...person, collections: forbidden }, PAGE);
  const coming: StoredRow[] = [];
  for (const table of recordTables) {
    const room = PAGE - leaving.length - coming.length;
    if (room > 0) coming.push(...(await readHiddenRows(client, table, { ...person, collections: permitted }, room)));
  }
  if (leaving.length + coming.length === 0) return { endpoints: [], hidden: 0, shown: 0 };
  const revision = await drawRevisions(client, person, leaving.length + coming.length);
  if (!(await holdConnection(client, person, person.connectionId))) return { endpoints: [], hidden: 0, shown: 0 };
  const hidden = await withdraw(client, person, { rows: leaving, revision, reason: 'permission_revoked', readVersion: undefined });
  const shown = await show(client, person, coming, revision + leaving.length);
  const endpoints = await insertEvents(
    client,
    person,
    [...hidden, ...shown].map((event) => ({ ...event, id: newId('evt'), userId: person.userId })),
  );
  return { endpoints, hidden: hidden.length, shown: shown.length };
}

async function show(client: Sql, person: PersonOfConnection, rows: readonly StoredRow[], first: number): Promise<EventContent[]> {
  const coming = rows.map((row, index) => ({ ...row, revision: first + index }));
  const shown = new Set<string>();
  for (const table of recordTables) {
    const of = coming.filter((row) => row.table === table.name).map((row) => ({ ...row, version: row.state.version }));
    for (const name of await showRows(client, table, person, of)) shown.add(name);
  }
  return coming
    .filter((row) => shown.has(rowName(row)))
    .map((row) => {
      const state = { ...row.state, deleted: false, withdrawn: false, version: row.state.version + 1, inferred: true };
      const change = { change: 'restored', row: { ...row, owner: person }, state, revision: row.revision } as const;
      return recordUpdated(person, { ...change, previousLocalDate: undefined, supersedes: undefined, changeId: undefined }, undefined);
    });
}

async function lookBack(client: Sql, person: PersonOfConnection, collections: readonly string[], now: number): Promise<void> {
  const today = civilDayAt(now, 0);
  for (const collection of collections) {
    await openLook(client, { ...person, collection, from: addDays(today, -LOOK_BACK_DAYS), to: addDays(today, 2), dueAt: now });
  }
}

function scopesEvent({ userId, externalId, connectionId, provider }: PersonOfConnection, scopes: readonly string[], revision: number) {
  const user = { id: userId, externalId };
  const data = eventData('connection.updated', { user, connectionId, provider, scopes: [...scopes], revision });
  return { id: newId('evt'), type: 'connection.updated', revision, userId, provider, metric: undefined, data } as const;
}
