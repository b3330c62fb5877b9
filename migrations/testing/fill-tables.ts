import type pg from 'pg';

interface Column {
  readonly name: string;
  readonly type: string;
}

interface Reference {
  readonly columns: string[];
  readonly parent: string;
  readonly parentColumns: string[];
}

const SAMPLES: Readonly<Record<string, string>> = {
  text: 'sample',
  bytea: '\\x01',
  bigint: '1',
  integer: '1',
  smallint: '1',
  boolean: 'false',
  date: '2024-02-29',
  jsonb: '{}',
  'timestamp with time zone': '2024-02-29T23:59:59Z',
  'double precision': '8431',
  real: '1',
  numeric: '1',
  uuid: '11111111-1111-4111-8111-111111111111',
};

/** Of an array: one with one entry, since an empty list may not be allowed. */
function sampleOf(type: string): string | undefined {
  return type.endsWith('[]') ? `{${SAMPLES[type.slice(0, -2)]}}` : SAMPLES[type];
}

/**
 * Puts a row into every table that has none, parents before children, by what the catalogs say of it: so a table that a later step
 * adds is filled without a change here. @returns the tables that hold rows now.
 */
export async function fillTables(client: pg.Client): Promise<Set<string>> {
  const tables = await names(
    client,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
    and relkind in ('r', 'p') and not relispartition and relname <> 'schema_step' order by relname`,
  );
  const filled = new Set<string>();
  while (filled.size < tables.length) {
    const sizeBefore = filled.size;
    for (const table of tables.filter((name) => !filled.has(name))) {
      const references = await referencesOf(client, table);
      if (!references.every(({ parent }) => parent === table || filled.has(parent))) continue;
      const { rows } = await client.query(`select 1 from ${table} limit 1`);
      if (rows.length === 0) await insertRow(client, table, references);
      filled.add(table);
    }
    if (filled.size === sizeBefore)
      throw new Error(`No order of these can be filled: ${tables.filter((name) => !filled.has(name)).join(', ')}`);
  }
  return filled;
}

async function insertRow(client: pg.Client, table: string, references: readonly Reference[]): Promise<void> {
  const { rows: all } = await client.query<Column & { needed: boolean }>(
    `
    select a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull and not a.atthasdef and a.attidentity = '' as needed
    from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
    order by a.attnum`,
    [table],
  );
  const { rows: checks } = await client.query<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [table],
  );
  const columns = all.filter(({ name, needed }) => needed || isHalfOfEitherOr(name, checks));
  const values = new Map(columns.map(({ name, type }) => [name, firstAllowed(name, checks) ?? sampleOf(type)]));
  for (const { columns: own, parent, parentColumns } of references) {
    const {
      rows: [row],
    } = await client.query<Record<string, string>>(`select ${parentColumns.join(', ')} from ${parent} limit 1`);
    own.forEach((name, i) => {
      if (values.has(name)) values.set(name, row?.[parentColumns[i] ?? '']);
    });
  }
  const fields = [...values.keys()];
  await client.query(`insert into ${table} (${fields.join(', ')}) values (${fields.map((_, i) => `$${i + 1}`).join(', ')})`, [
    ...values.values(),
  ]);
}

/** The first word that a check such as `kind in ('sleep', 'workout')` allows; of a list that may hold some words, the list of the first. */
function firstAllowed(column: string, checks: readonly { text: string }[]): string | undefined {
  for (const { text } of checks) {
    const found = new RegExp(`\\(${column} = ANY \\(ARRAY\\['([^']+)'`).exec(text);
    if (found) return found[1];
    const listed = new RegExp(`\\(${column} <@ ARRAY\\['([^']+)'`).exec(text);
    if (listed) return `{${listed[1]}}`;
  }
  return undefined;
}

/** The first column of a check such as `(value is null) <> (parts is null)`: exactly one of the two is to be there. */
function isHalfOfEitherOr(column: string, checks: readonly { text: string }[]): boolean {
  return checks.some(({ text }) => new RegExp(`\\(${column} IS NULL\\) <> \\(\\w+ IS NULL\\)`).test(text));
}

async function referencesOf(client: pg.Client, table: string): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(
    `
    select k.confrelid::regclass::text as parent,
      (select array_agg(a.attname::text order by u.place) from unnest(k.conkey) with ordinality u(n, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n) as columns,
      (select array_agg(a.attname::text order by u.place) from unnest(k.confkey) with ordinality u(n, place)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n) as "parentColumns"
    from pg_constraint k where k.conrelid = $1::regclass and k.contype = 'f'`,
    [table],
  );
  return rows;
}

async function names(client: pg.Client, query: string): Promise<string[]> {
  return (await client.query<{ name: string }>(query)).rows.map((row) => row.name);
}
