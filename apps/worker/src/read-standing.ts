import type { Scope } from '@tributary/domain';
import {
  type HeldRow,
  type Owned,
  type RecordKey,
  type Sql,
  type Standing,
  readHeld,
  readHeldOfDocuments,
  recordTables,
} from '@tributary/storage';
import type { HeldRows } from './plan-changes.js';
import type { SeenRows } from './seen-rows.js';

interface Writable {
  seen: (Standing | undefined)[];
  gone: HeldRow[];
  absent: (Standing | undefined)[];
  rekeyed: (Standing | undefined)[];
}

/** Keys of one table, and where how they stand is to be put. */
interface Asked {
  readonly keys: Owned<RecordKey>[];
  readonly lists: (Standing | undefined)[][];
  readonly places: number[];
}

/** How all rows stand that these reads may touch: one statement for each table that any of them has rows of. */
export async function readStanding(sql: Sql, scope: Scope, reads: readonly { readonly seen: SeenRows }[]): Promise<HeldRows[]> {
  const asked = new Map(recordTables.map(({ name }): [string, Asked] => [name, { keys: [], lists: [], places: [] }]));
  const ask = (key: Owned<RecordKey>, list: (Standing | undefined)[]) => {
    const { keys, lists, places } = asked.get(key.table) as Asked;
    keys.push(key);
    lists.push(list);
    places.push(list.length);
    list.push(undefined);
  };
  const held: Writable[] = [];
  for (const { seen } of reads) {
    const { owner } = seen.read;
    const lists: Writable = { seen: [], gone: [], absent: [], rekeyed: [] };
    held.push(lists);
    for (const { row } of seen.rows) ask(row, lists.seen);
    for (const { row } of seen.absent ?? []) ask({ ...row, owner }, lists.absent);
    for (const { from } of seen.rekeyed ?? []) ask({ ...from, owner }, lists.rekeyed);
  }
  for (const table of recordTables) {
    const { keys, lists, places } = asked.get(table.name) as Asked;
    const standing = await readHeld(sql, table, scope, keys);
    for (let n = 0; n < keys.length; n += 1) (lists[n] as (Standing | undefined)[])[places[n] as number] = standing[n];
  }
  await readGone(sql, scope, reads, held);
  return held;
}

async function readGone(sql: Sql, scope: Scope, reads: readonly { readonly seen: SeenRows }[], held: readonly Writable[]): Promise<void> {
  const documents = reads.flatMap(({ seen }, of) =>
    seen.gone.map((providerRecordId) => ({ of, connectionId: seen.read.owner.connectionId, providerRecordId })),
  );
  if (documents.length === 0) return;
  for (const table of recordTables) {
    for (const { of: place, ...row } of await readHeldOfDocuments(sql, table, scope, documents)) {
      held[documents[place]?.of as number]?.gone.push(row);
    }
  }
}
