import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyDatabase } from '../../packages/storage/testing/clone-database.js';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { fillTables } from '../testing/fill-tables.js';
import { migrate, undoLast } from './migrate.js';
import { readSchema } from './read-schema.js';
import { migrations } from './steps.js';

const committed = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'schema.sql');

/** Runs the first `count` steps, those that have not run yet. */
async function upTo(url: string, count: number): Promise<void> {
  const source = new DataSource({ type: 'postgres', url, migrations: migrations.slice(0, count), migrationsTableName: 'schema_step' });
  await source.initialize();
  await source.runMigrations({ transaction: 'each' });
  await source.destroy();
}

describe('the migrations', () => {
  let db: { url: string; drop(): Promise<void> };
  let client: pg.Client;
  beforeEach(async () => {
    db = await emptyDatabase();
    client = new pg.Client({ connectionString: db.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await db.drop();
  });

  it('walk up, take rows in every table, walk down with them and up again, each step by itself', async () => {
    let before = await readSchema(client);
    for (let count = 1; count <= migrations.length; count += 1) {
      await upTo(db.url, count);
      const after = await readSchema(client);
      expect(after).not.toBe(before);
      const filled = await fillTables(client);
      const { rows } = await client.query<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'schema_step'`,
      );
      expect([...filled].sort()).toEqual(rows.map((row) => row.name).sort());
      for (const table of filled) expect((await client.query(`select count(*)::int as n from ${table}`)).rows[0].n).toBeGreaterThan(0);

      const undone = await undoLast(db.url);
      expect(undone).toBe(migrations[count - 1]?.name);
      expect(await readSchema(client)).toBe(before);
      await upTo(db.url, count);
      expect(await readSchema(client)).toBe(after);
      before = after;
    }
  });

  it('leave nothing of ours when every step is taken back', async () => {
    await migrate(db.url);
    for (let steps = migrations.length; steps > 0; steps -= 1) expect(await undoLast(db.url)).toBe(migrations[steps - 1]?.name);
    expect(await undoLast(db.url)).toBeUndefined();
    const { rows } = await client.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    expect(rows).toEqual([{ relname: 'schema_step' }]);
  });

  it('run once when two migrators start together', async () => {
    const ran = await Promise.all([migrate(db.url), migrate(db.url)]);
    expect(ran.map((names) => names.length).sort()).toEqual([0, migrations.length]);
    const { rows } = await client.query('select name from schema_step order by timestamp');
    expect(rows.map((row) => row.name)).toEqual(migrations.map((step) => step.name));
    expect((await client.query('select count(*)::int as n from bullmq.job')).rows[0].n).toBe(0);
  });

  it('lead to the committed schema.sql', async () => {
    await migrate(db.url);
    expect(readFileSync(committed, 'utf8')).toBe(await readSchema(client));
  });

  it('are written in a schema.sql that can be run, with the same result', async () => {
    await client.query(readFileSync(committed, 'utf8'));
    expect(await readSchema(client)).toBe(readFileSync(committed, 'utf8'));
  });

  it('do not leave out what the schema file cannot show', async () => {
    await client.query(`create type mood as enum ('good', 'bad')`);
    await expect(readSchema(client)).rejects.toThrow('type mood');
  });
});
