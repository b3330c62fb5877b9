import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

/** As a server that is meant for work has it; what is durable stays so. */
const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };

/**
 * A migrated database for one run, dropped at its end: on DATABASE_URL, or on a server of our own below .tributary/bench that syncs
 * to disk as in production.
 */
export async function openDatabase(root) {
  const load = (file) => import(pathToFileURL(path.join(root, file)).href);
  const { startPostgres } = await load('packages/embedded-services/dist/index.js');
  const { migrate } = await load('migrations/dist/index.js');
  const server = process.env.DATABASE_URL ? undefined : await startPostgres({ dir: path.join(root, '.tributary', 'bench'), settings });
  const serverUrl = process.env.DATABASE_URL || server.url;
  const name = `tributary_bench_${randomBytes(5).toString('hex')}`;
  const onServer = async (statement) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  try {
    await onServer(`create database ${name}`);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    await migrate(url.href);
    const pool = new pg.Pool({ connectionString: url.href, max: 2 });
    pool.on('error', () => undefined);
    return {
      url: url.href,
      pool,
      async close() {
        await pool.end();
        await onServer(`drop database if exists ${name} with (force)`);
        await server?.stop();
      },
    };
  } catch (error) {
    await server?.stop();
    throw error;
  }
}
