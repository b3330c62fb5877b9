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

/** How all rows stand that these reads may touch: one statement for each table that any of them has rows of. */
export async function readStanding(sql: Sql, scope: Scope, reads: readonly { readonly seen: SeenRows }[]): Promise<HeldRows[]> {
  const held = reads.map(
    ({ seen: { rows, absent = [], rekeyed = [] } }): Writable => ({
      seen: new Array<undefined>(rows.length).fill(undefined),
      gone: [],
      absent: new Array<undefined>(absent.length).fill(undefined),
      rekeyed: new Array<undefined>(rekeyed.length).fill(undefined),
    }),
  );
  for (const table of recordTables) {
    const keys: Owned<RecordKey>[] = [];
    const places: { readonly list: (Standing | undefined)[]; readonly at: number }[] = [];
    const add = (key: RecordKey, owner: Owned<unknown>['owner'], list: (Standing | undefined)[], at: number) => {
      if (key.table !== table.name) return;
      keys.push('owner' in key ? (key as Owned<RecordKey>) : { ...key, owner });
      places.push({ list, at });
    };
    for (const [of, { seen }] of reads.entries()) {
      const { owner } = seen.read;
      const lists = held[of] as Writable;
      for (const [at, { row }] of seen.rows.entries()) add(row, owner, lists.seen, at);
      for (const [at, { row }] of (seen.absent ?? []).entries()) add(row, owner, lists.absent, at);
      for (const [at, { from }] of (seen.rekeyed ?? []).entries()) add(from, owner, lists.rekeyed, at);
    }
    for (const [place, standing] of (await readHeld(sql, table, scope, keys)).entries()) {
      const { list, at } = places[place] as (typeof places)[number];
      list[at] = standing;
    }
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
