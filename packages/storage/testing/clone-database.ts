import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type DataSource } from 'typeorm';
import { connect } from '../src/connect.js';
import { testServices } from './test-services.config.js';

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly dataSource: DataSource;
  /** Closes the pool and drops the database, whoever is still connected to it. */
  drop(): Promise<void>;
}

/** A database of the newest schema, empty, for one test file: cloned in some 50 ms, with the pool that our processes use. */
export async function cloneDatabase({ poolSize = 8 }: { poolSize?: number } = {}): Promise<TestDatabase> {
  const { databaseUrl, template } = testServices();
  const name = `${template.replace(/_template$/, '')}_${randomBytes(5).toString('hex')}`;
  await onServer(databaseUrl, `create database ${name} template ${template}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const { pool, dataSource, close } = await connect({ url: url.href, poolSize, applicationName: 'tributary-tests' });
  return {
    url: url.href,
    pool,
    dataSource,
    async drop() {
      await close();
      await onServer(databaseUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

/** A database without any schema, for tests of the migrations themselves. */
export async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { databaseUrl, template } = testServices();
  const name = `${template.replace(/_template$/, '')}_${randomBytes(5).toString('hex')}`;
  await onServer(databaseUrl, `create database ${name}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(databaseUrl, `drop database if exists ${name} with (force)`) };
}

async function onServer(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
