import { type PostgresClient, tableName } from './postgres-client.js';
import { type Applied } from './record-book.js';
import { livingPersonSql, markErasedSql, peopleTableSql } from './people.postgres.js';

export interface VersionedTableOptions {
  /** A table of yours. */
  readonly table: string;
  /** Its column with Tributary's id of the person (`event.data.user.id`), text. Part of the key. */
  readonly user: string;
  /** The other columns of the key, with their types: `{ day: 'date', source: 'text' }`. */
  readonly key: Readonly<Record<string, string>>;
  /** The columns that are replaced, with their types: `{ steps: 'integer' }`. */
  readonly values: Readonly<Record<string, string>>;
  /** The table of people, shared by all. Default `tributary_person`. */
  readonly people?: string;
}

/** Column to value. */
export type VersionedRow = Readonly<Record<string, unknown>>;

/**
 * Makes a table of your own keep the newest revision of each key, whatever the order and the repetition of events. The statements are
 * there for use in your own code; the functions send them. Needs READ COMMITTED, the default of Postgres.
 */
export interface VersionedTable {
  /**
   * To run once: adds `revision` and `removed`, a unique index over the key, and the table of people; lets the values be null, since
   * of what is removed the key and the revision alone are kept. Read rows `where not removed`.
   */
  readonly migrateSql: string;
  /** Parameters: the person, the rest of the key, the values, the revision. One row: `living`, `written`. */
  readonly replaceSql: string;
  /** Parameters: the person, the rest of the key, the revision. One row: `living`, `written`. */
  readonly removeSql: string;
  /** Parameter: the person. */
  readonly markErasedSql: string;
  /** Parameter: the person. A statement of its own, after the mark: it must see what was written while the mark waited for its lock. */
  readonly deleteErasedSql: string;
  /** @throws TypeError when a column of the key or a value is missing */
  replace(client: PostgresClient, row: VersionedRow, revision: number): Promise<Exclude<Applied, 'no-record'>>;
  /** @throws TypeError when a column of the key is missing */
  remove(client: PostgresClient, key: VersionedRow, revision: number): Promise<Exclude<Applied, 'no-record'>>;
  /** For good: no revision brings a row of this person back. */
  erase(client: PostgresClient, userId: string): Promise<void>;
}

/** @throws TypeError when a name or a type is none that may stand unquoted */
export function versionedTable(options: VersionedTableOptions): VersionedTable {
  const table = tableName(options.table);
  const people = tableName(options.people ?? 'tributary_person');
  const user = columnName(options.user);
  const restOfKey = columns(options.key);
  const values = columns(options.values);
  if (values.length === 0) throw new TypeError('versionedTable needs at least one column of values.');
  const keyNames = [user, ...restOfKey.map(({ name }) => name)];
  const names = (list: readonly Column[]) => list.map(({ name }) => `, ${name}`).join('');
  const parameters = (list: readonly Column[], from: number) => list.map(({ type }, at) => `, $${from + at}::${type}`).join('');
  const valuesFrom = 2 + restOfKey.length;
  const newer = 'where held.revision < excluded.revision\n  returning 1';
  const conflict = `on conflict (${keyNames.join(', ')}) do update set`;
  const verdict = 'select exists (select from person) as living, exists (select from written) as written';

  const replaceSql = `with ${livingPersonSql(people)}, written as (
  insert into ${table} as held (${user}${names(restOfKey)}${names(values)}, revision, removed)
  select user_id${parameters(restOfKey, 2)}${parameters(values, valuesFrom)}, $${valuesFrom + values.length}::bigint, false from person
  ${conflict} ${values.map(({ name }) => `${name} = excluded.${name}`).join(', ')}, revision = excluded.revision, removed = false
  ${newer}
)
${verdict}`;
  const removeSql = `with ${livingPersonSql(people)}, written as (
  insert into ${table} as held (${user}${names(restOfKey)}, revision, removed)
  select user_id${parameters(restOfKey, 2)}, $${valuesFrom}::bigint, true from person
  ${conflict} ${values.map(({ name }) => `${name} = null`).join(', ')}, revision = excluded.revision, removed = true
  ${newer}
)
${verdict}`;
  const deleteErasedSql = `delete from ${table} where ${user} = $1`;
  const migrateSql = `${peopleTableSql(people)}
alter table ${table} add column if not exists revision bigint not null default 0, add column if not exists removed boolean not null default false${values
    .map(({ name }) => `, alter column ${name} drop not null`)
    .join('')};
create unique index if not exists ${table.replace('.', '_')}_version_key on ${table} (${keyNames.join(', ')});`;

  const send = async (client: PostgresClient, text: string, parameters: unknown[]) => {
    const [row] = (await client.query(text, parameters)).rows as { living: boolean; written: boolean }[];
    return row?.written ? 'applied' : row?.living ? 'stale' : 'erased';
  };
  const inOrder = (row: VersionedRow, wanted: readonly string[]): unknown[] => {
    const missing = wanted.filter((name) => row[name] === undefined);
    if (missing.length > 0) throw new TypeError(`The row of ${table} lacks ${missing.join(', ')}; null is a value, undefined is not.`);
    return wanted.map((name) => row[name]);
  };
  const valueNames = values.map(({ name }) => name);
  return {
    migrateSql,
    replaceSql,
    removeSql,
    markErasedSql: markErasedSql(people),
    deleteErasedSql,
    replace: async (client, row, revision) => send(client, replaceSql, [...inOrder(row, [...keyNames, ...valueNames]), revision]),
    remove: async (client, key, revision) => send(client, removeSql, [...inOrder(key, keyNames), revision]),
    async erase(client, userId) {
      await client.query(markErasedSql(people), [userId]);
      await client.query(deleteErasedSql, [userId]);
    },
  };
}

interface Column {
  readonly name: string;
  readonly type: string;
}

function columns(given: Readonly<Record<string, string>>): readonly Column[] {
  return Object.entries(given).map(([name, type]) => {
    if (!/^[a-z][a-z0-9_ ]*(?:\(\d+(?:,\s*\d+)?\))?[a-z ]*(?:\[\])?$/.test(type))
      throw new TypeError(`Not a plain type: ${JSON.stringify(type)}`);
    return { name: columnName(name), type };
  });
}

function columnName(name: string): string {
  if (name.includes('.') || ['revision', 'removed'].includes(name)) throw new TypeError(`Not a column for this: ${JSON.stringify(name)}`);
  return tableName(name);
}
