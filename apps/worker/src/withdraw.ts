import { type Scope, type Source, versionToText } from '@tributary/domain';
import { type EventData, eventData } from '@tributary/handoffs';
import { type RecordKey, type RecordOwner, type Sql, type WithdrawalGround, recordTables, rowName, withdrawRows } from '@tributary/storage';
import type { EventContent, EventSubject } from './event-of-change.js';
import { nameOf, recordName } from './record-name.js';

/** A live row that is to be marked as gone. */
export type Leaving = RecordKey & {
  /** As it was read. */
  readonly version: number;
  readonly source: Source;
  /** Its new key, where it has one. */
  readonly supersededBy?: RecordKey;
  /** Of the change of key. */
  readonly changeId?: string;
};

/** What one withdrawal is about. */
export interface Leave extends WithdrawalGround {
  readonly rows: readonly Leaving[];
  /** The first of as many revisions as there are rows. */
  readonly revision: number;
}

/** Marks rows as gone, in the caller's transaction. @returns an event for each that was marked; somebody else wrote the others meanwhile. */
export async function withdraw(
  sql: Sql,
  owner: Scope & RecordOwner & EventSubject,
  { rows, revision, ...ground }: Leave,
): Promise<EventContent[]> {
  const leaving = rows.map((row, index) => ({ ...row, revision: revision + index }));
  const gone = new Set<string>();
  for (const table of recordTables) {
    const of = leaving.filter((row) => row.table === table.name);
    for (const name of await withdrawRows(sql, table, owner, of, ground)) gone.add(name);
  }
  return leaving.filter((row) => gone.has(rowName(row))).map((row) => withdrawn(owner, row, ground));
}

function withdrawn(
  { userId, externalId, connectionId, provider }: EventSubject,
  row: Leaving & { readonly revision: number },
  { reason, readVersion }: WithdrawalGround,
): EventContent {
  const { id, type, manufacturer, model } = row.source;
  const { metric, kind, recordId } = nameOf(row);
  const data: EventData<'record.deleted'> = {
    user: { id: userId, externalId },
    connectionId,
    provider,
    metric,
    kind,
    recordId,
    localDate: row.localDate,
    source: { id, type, manufacturer: manufacturer ?? null, model: model ?? null },
    revision: row.revision,
    version: versionToText(Math.max(row.version + 1, readVersion ?? 0)),
    inferred: true,
    reason,
    ...(row.changeId !== undefined && { changeId: row.changeId }),
    ...(row.supersededBy !== undefined && { supersededBy: recordName(row.supersededBy) }),
  };
  return { type: 'record.deleted', revision: row.revision, provider, metric, data: eventData('record.deleted', data) };
}
