// Four ways to put the records of one read in the place of what is held. Ours also decides which of them are news, draws their revisions,
// writes their events and what is owed to an endpoint, and ends the window.
import { DataSource, EntitySchema } from 'typeorm';
import { ApplyQueue } from '../../../apps/worker/dist/apply-queue.js';
import { seenRows } from '../../../apps/worker/dist/seen-rows.js';
import { decide } from '../../../packages/domain/dist/index.js';
import { connect, pgArray, recordTables } from '../../../packages/storage/dist/index.js';
import { evidenceOf } from './world.mjs';

const daily = recordTables.find(({ name }) => name === 'daily_rollup');
let clock = Date.now();

/** As {@link seenRows} makes them; a later read than all before. */
const seen = (window, records) => {
  clock += 2;
  return seenRows(records, evidenceOf(window, clock));
};

/** Rows as they are to stand, for those who do not ask what is held. */
const rowsOf = (window, records) =>
  seen(window, records).rows.map(({ row, observation }) => ({ row, revision: 1, state: decide(undefined, observation).next }));

const open = (url, poolSize) => connect({ url, poolSize, applicationName: 'bench' });

async function ours(url, connections) {
  const database = await open(url, connections);
  const queue = new ApplyQueue(database.pool, { transactions: connections, reads: 16, rows: 1_000 });
  return {
    leases: true,
    prepare: (window, records) => ({ window, seen: seen(window, records), letter: undefined, also: undefined }),
    async write(read) {
      const { result } = await queue.add(read);
      if (result !== 'changed') throw new Error(`A read was ${result}`);
    },
    close: () => database.close(),
  };
}

/** One statement for the rows of one read, with the same arrays: the least that can be done. */
async function raw(url, connections) {
  const database = await open(url, connections);
  const { columns } = daily;
  const names = columns.map(({ name }) => name).join(', ');
  const text = `
    insert into daily_rollup as t (tenant_id, environment, user_id, provider, connection_id, ${names})
    select $1, $2, $3, $4, $5, ${columns.map((column) => `r.${column.name}${column.cast}`).join(', ')}
    from unnest(${columns.map(({ type }, index) => `$${index + 6}::${type}[]`).join(', ')}) as r (${names})
    on conflict (tenant_id, environment, user_id, provider, metric, local_date, source_id) do update set
      ${columns.map(({ name }) => `${name} = excluded.${name}`).join(', ')}, connection_id = excluded.connection_id, deleted = false,
      delete_reason = null, updated_at = clock_timestamp()`;
  return {
    prepare: (window, records) => ({ window, rows: rowsOf(window, records) }),
    async write({ window, rows }) {
      const { rowCount } = await database.pool.query({
        name: 'raw-upsert',
        text,
        values: [
          window.tenantId,
          window.environment,
          window.userId,
          window.provider,
          window.connectionId,
          ...columns.map((column) =>
            pgArray(
              column.type,
              rows.map((row) => column.of(row)),
            ),
          ),
        ],
      });
      if (rowCount !== rows.length) throw new Error(`${rowCount} rows were written of ${rows.length}`);
    },
    close: () => database.close(),
  };
}

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const ofTheKey = ['tenant_id', 'environment', 'user_id', 'provider', 'metric', 'local_date', 'source_id'];
const types = { text: 'text', int8: 'bigint', int4: 'int', float8: 'double precision', bool: 'boolean', bytea: 'bytea' };
const typeOf = (column) => ({ '::date': 'date', '::jsonb': 'jsonb', '::timestamptz': 'timestamptz' })[column.cast] ?? types[column.type];

/** One row after the other, as a repository does it. */
async function orm(url, connections) {
  const own = ['tenant_id', 'environment', 'user_id', 'provider', 'connection_id'].map((name) => [name, 'text']);
  const all = [
    ...own,
    ...daily.columns.map((column) => [column.name, typeOf(column)]),
    ['deleted', 'boolean'],
    ['updated_at', 'timestamptz'],
  ];
  const Rollup = new EntitySchema({
    name: 'Rollup',
    tableName: 'daily_rollup',
    columns: Object.fromEntries(all.map(([name, type]) => [camel(name), { name, type, primary: ofTheKey.includes(name), nullable: true }])),
  });
  const source = await new DataSource({ type: 'postgres', url, entities: [Rollup], poolSize: connections }).initialize();
  const repository = source.getRepository(Rollup);
  const jsonb = new Set(daily.columns.filter(({ cast }) => cast === '::jsonb').map(({ name }) => name));
  const entityOf = ({ tenantId, environment, userId, provider, connectionId }, row) => ({
    ...{ tenantId, environment, userId, provider, connectionId, deleted: false, updatedAt: new Date() },
    ...Object.fromEntries(
      daily.columns.map((column) => {
        const value = column.of(row);
        return [camel(column.name), value !== undefined && jsonb.has(column.name) ? JSON.parse(value) : (value ?? null)];
      }),
    ),
  });
  return {
    prepare: (window, records) => rowsOf(window, records).map((row) => entityOf(window, row)),
    async write(entities) {
      for (const entity of entities) await repository.upsert(entity, ofTheKey.map(camel));
    },
    close: () => source.destroy(),
  };
}

/** As ours, from the records of the adapter on: rounded and hashed, which is part of every read. */
async function fromRecords(url, connections) {
  const way = await ours(url, connections);
  return {
    ...way,
    prepare: (window, records) => ({ window, records }),
    write: ({ window, records }) => way.write({ window, seen: seen(window, records), letter: undefined, also: undefined }),
  };
}

export const contenders = { ours, raw, orm, fromRecords };
