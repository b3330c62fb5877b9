// node dist/write-schema.js writes migrations/schema.sql; with "check" it compares instead, and ends with 1 when they differ.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedServiceError, startPostgres } from '@tributary/embedded-services';
import pg from 'pg';
import { lineDiff } from './line-diff.js';
import { migrate } from './migrate.js';
import { readSchema } from './read-schema.js';

const file = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', 'schema.sql');

try {
  const schema = await withServer(migratedSchema);
  if (process.argv[2] === 'check') compare(schema);
  else {
    writeFileSync(file, schema);
    console.log(`wrote migrations/schema.sql, ${schema.split('\n').length} lines`);
  }
} catch (error) {
  console.error(
    error instanceof EmbeddedServiceError ? error.message : `schema: ${(error as Error).message}. If DATABASE_URL is set, check it.`,
  );
  process.exitCode = 1;
}

function compare(schema: string): void {
  const differences = lineDiff(existsSync(file) ? readFileSync(file, 'utf8') : '', schema);
  if (differences.length === 0) {
    console.log('migrations/schema.sql is what the migrations lead to');
    return;
  }
  console.error(
    `migrations/schema.sql is not what the migrations lead to (- committed, + migrated). Run npm run schema:write.\n${differences.join('\n')}`,
  );
  process.exitCode = 1;
}

/** The server of DATABASE_URL, or one for this moment only. */
async function withServer<T>(work: (serverUrl: string) => Promise<T>): Promise<T> {
  const given = process.env['DATABASE_URL'];
  if (given) return work(given);
  const dir = mkdtempSync(path.join(tmpdir(), 'tributary-schema-'));
  chmodSync(dir, 0o711); // root's server runs as another user
  try {
    const server = await startPostgres({ dir, durable: false });
    try {
      return await work(server.url);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Migrates a fresh database and reads it; the database of the address itself is left alone. */
async function migratedSchema(serverUrl: string): Promise<string> {
  const name = `tributary_schema_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await connected(serverUrl, (client) => client.query(`create database ${name}`));
  try {
    await migrate(url.href);
    return await connected(url.href, readSchema);
  } finally {
    await connected(serverUrl, (client) => client.query(`drop database ${name} with (force)`));
  }
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
