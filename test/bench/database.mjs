import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

/** As a server that is meant for work has it; what is durable stays so. */
const BUFFERS_MB = 512;
const settings = { shared_buffers: `${BUFFERS_MB}MB`, min_wal_size: '4GB', max_wal_size: '8GB' };
/** Of 16 MB each; as many as `min_wal_size` keeps. */
const OLD_SEGMENTS = 250;

/**
 * A server that has worked for an hour writes its log into segments that it used before; a new one must first fill each of them with
 * zeros and sync it, in the middle of somebody's commit.
 */
async function useUpSegments(onServer) {
  await onServer(`do $$ begin for n in 1 .. ${OLD_SEGMENTS} loop
    perform pg_logical_emit_message(false, 'bench', 'a segment'); perform pg_switch_wal(); end loop; end $$`);
  // Segments from before the last checkpoint are the ones that may be used again.
  await onServer('checkpoint');
  await onServer('checkpoint');
}

/** Nor does such a server touch a page of its memory for the first time, which the kernel must clear then. @param onDatabase a fresh one. */
async function useUpBuffers(onDatabase) {
  await onDatabase('create table used_up (filler text storage plain)');
  // One row fills a page of 8 kB. Not `create table as`, which goes round in a few buffers.
  await onDatabase(`insert into used_up select repeat('x', 7000) from generate_series(1, ${BUFFERS_MB} * 128)`);
  await onDatabase('drop table used_up');
}

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
  const on = async (connectionString, statement) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const onServer = (statement) => on(serverUrl, statement);
  try {
    await onServer(`create database ${name}`);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    if (server !== undefined) {
      await useUpBuffers((statement) => on(url.href, statement));
      await useUpSegments(onServer);
    }
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
