import type { DeleteReason, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { RecordKey, RecordOwner } from '../records/record-row.js';
import { type RecordTable, keyArrays, keyFields, keyList, keyMatch, keyParameters, rowName, sortRows } from '../records/record-table.js';
import type { Sql } from '../sql.js';

/** A row that is to be marked as gone without a word of the provider about it. */
export type Withdrawal = RecordKey & {
  readonly revision: number;
  /** As it was read: whoever wrote the row since knows better. */
  readonly version: number;
};

export interface WithdrawalGround {
  readonly reason: Extract<DeleteReason, 'absent_confirmed' | 'rekeyed' | 'permission_revoked'>;
  /**
   * Start of the read that showed that it is gone, microseconds since the epoch. Undefined: it is not about the provider's state, and
   * whatever comes from there later finds the row as it was.
   */
  readonly readVersion: number | undefined;
}

/** Marks rows as gone. @returns names of the rows that were marked: those that nobody wrote since they were read. */
export async function withdrawRows(
  sql: Sql,
  table: RecordTable,
  owner: Scope & RecordOwner,
  rows: readonly Withdrawal[],
  { reason, readVersion }: WithdrawalGround,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const sorted = sortRows(table, rows);
  const { rows: written } = await sql.query<Omit<RecordKey, 'table'>>({
    name: `reads/withdraw-${table.name}`,
    text: `
      update ${table.name} t set deleted = true, delete_reason = $5, version = greatest(t.version + 1, $6::int8), inferred = true,
        fresh_from = greatest(t.fresh_from, $6::int8 / 1000), fresh_to = greatest(t.fresh_to, $6::int8 / 1000), unsettled = false, doubt = null, trail = '',
        revision = k.revision, updated_at = clock_timestamp()
      from unnest($7::int8[], $8::int8[], ${keyParameters(table, 9)}) as k (revision, old_version, ${keyList(table)})
      where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4 and ${keyMatch(table, 't', 'k')}
        and t.version = k.old_version and not t.deleted
      returning ${keyFields(table, 't.')}`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      reason,
      readVersion ?? null,
      pgArray(
        'int8',
        sorted.map((row) => row.revision),
      ),
      pgArray(
        'int8',
        sorted.map((row) => row.version),
      ),
      ...keyArrays(table, sorted),
    ],
  });
  return new Set(written.map((key) => rowName({ ...key, table: table.name })));
}
