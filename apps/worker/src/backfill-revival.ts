import type { Scope } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type Sql, findRunningBackfill, insertBackfill, listUnpermittedParts, openBackfillWindows } from '@tributary/storage';

export interface PermittedPerson extends Scope {
  readonly userId: string;
  readonly connectionId: string;
  readonly provider: string;
}

/**
 * Begins to read the past of what a backfill could not read for want of a permission that is there now. In a transaction that holds the
 * connection. @param permitted collections that may be read
 */
export async function reviveBackfill(sql: Sql, person: PermittedPerson, permitted: readonly string[]): Promise<void> {
  const { tenantId, environment, userId, connectionId, provider } = person;
  const parts = await listUnpermittedParts(sql, person, connectionId, permitted);
  const [first] = parts;
  if (first === undefined) return;
  const id = (await findRunningBackfill(sql, person, connectionId)) ?? newId('bf');
  const from = parts.reduce((earliest, part) => (part.from < earliest ? part.from : earliest), first.from);
  await insertBackfill(sql, { tenantId, environment, id, userId, connectionId, provider, cause: 'consent', from, to: first.to }, parts);
  await openBackfillWindows(sql, person, id);
}
