import { livingPersonSql, markErasedSql, peopleTableSql } from './people.postgres.js';
import { type PostgresClient, tableName } from './postgres-client.js';
import { type RecordBook } from './record-book.js';
import { type RecordChange, recordChangeOf } from './record-change.js';

export interface RecordTables {
  /** Default `tributary_record`. */
  readonly records?: string;
  /** Default `tributary_person`. */
  readonly people?: string;
}

/** The statements that make the tables, if they are not there. Put them into your migrations. */
export function recordTablesSql(tables: RecordTables = {}): string {
  const { records, people } = names(tables);
  return `${peopleTableSql(people)}
create table if not exists ${records} (
  user_id text not null,
  provider text not null,
  metric text not null,
  source_id text not null,
  item text not null,
  local_date text not null check (local_date ~ '^\\d{4}-\\d\\d-\\d\\d$'),
  revision bigint not null,
  data jsonb,
  primary key (user_id, provider, metric, source_id, item)
);
comment on column ${records}.item is 'The record id of a session or measurement; of a series, series: and its workout or civil date; else the civil date.';
comment on column ${records}.local_date is 'Text: drivers turn a date into an instant of their own time zone.';
comment on column ${records}.data is 'Null: removed; the row stays as a mark with its revision.';`;
}

/** The statements by themselves, for use inside your own. They need READ COMMITTED, the default of Postgres. */
export function recordSql(tables: RecordTables = {}): {
  readonly replaceIfNewer: string;
  readonly markErased: string;
  readonly deleteErased: string;
} {
  const { records, people } = names(tables);
  return {
    /** $1 user id, $2 provider, $3 metric, $4 source id, $5 item, $6 local date, $7 revision, $8 data as JSON text, or null: removed. */
    replaceIfNewer: `with ${livingPersonSql(people)}, written as (
  insert into ${records} as held (user_id, provider, metric, source_id, item, local_date, revision, data)
  select user_id, $2::text, $3::text, $4::text, $5::text, $6::text, $7::bigint, $8::jsonb from person
  on conflict (user_id, provider, metric, source_id, item) do update
    set local_date = excluded.local_date, revision = excluded.revision, data = excluded.data
    where held.revision < excluded.revision
  returning 1
)
select exists (select from person) as living, exists (select from written) as written`,
    /** $1 user id. Comes first, and may be committed before {@link deleteErased}. */
    markErased: markErasedSql(people),
    /** $1 user id. A statement of its own: it must see what was written while the mark waited for its lock. */
    deleteErased: `delete from ${records} where user_id = $1`,
  };
}

/** @param client a pool; or a client inside your transaction, so that the value and your own writes are kept together */
export function postgresRecords(client: PostgresClient, tables: RecordTables = {}): RecordBook {
  const sql = recordSql(tables);
  return {
    async applyIfNewer(event) {
      const change = recordChangeOf(event);
      if (!change) return 'no-record';
      if (change.is === 'erase') {
        await client.query(sql.markErased, [change.userId]);
        await client.query(sql.deleteErased, [change.userId]);
        return 'applied';
      }
      const [row] = (await client.query(sql.replaceIfNewer, values(change))).rows as { living: boolean; written: boolean }[];
      return row?.written ? 'applied' : row?.living ? 'stale' : 'erased';
    },
  };
}

function values(change: Exclude<RecordChange, { is: 'erase' }>): unknown[] {
  const { key, revision } = change;
  const [localDate, data] = change.is === 'replace' ? [change.data.localDate, JSON.stringify(change.data)] : [change.localDate, null];
  return [key.userId, key.provider, key.metric, key.sourceId, key.item, localDate, revision, data];
}

function names(tables: RecordTables): { readonly records: string; readonly people: string } {
  return { records: tableName(tables.records ?? 'tributary_record'), people: tableName(tables.people ?? 'tributary_person') };
}
