import { runMigrations as runQueueMigrations } from 'bullmq';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { protectRows } from './protect-rows.js';
import { migrations } from './steps.js';

/** 'trib': one migrator at a time, also across machines. */
const LOCK = 0x74726962;

/**
 * Brings the database at `url` to the newest schema: our tables by TypeORM with the policies of their rows, the queue's own (schema
 * `bullmq`) by BullMQ's.
 * Safe to call from several processes at once.
 * @returns names of the steps that ran now.
 */
export async function migrate(url: string): Promise<string[]> {
  return locked(url, async (client) => {
    const ran = await withDataSource(url, async (source) => (await source.runMigrations({ transaction: 'each' })).map((m) => m.name));
    await protectRows(client);
    await runQueueMigrations(client);
    return ran;
  });
}

/** Takes the newest step back. @returns its name, or undefined when there is none. */
export async function undoLast(url: string): Promise<string | undefined> {
  return locked(url, () =>
    withDataSource(url, async (source) => {
      const rows: { name: string }[] = await source.query('select name from schema_step order by timestamp desc limit 1');
      if (rows[0]) await source.undoLastMigration({ transaction: 'each' });
      return rows[0]?.name;
    }),
  );
}

async function withDataSource<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = new DataSource({ type: 'postgres', url, migrations, migrationsTableName: 'schema_step' });
  await source.initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

async function locked<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    return await work(client);
  } finally {
    await client.end();
  }
}
