// The PostgreSQL and Redis of one test run, and the template that every test database is cloned from.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

const root = path.resolve(import.meta.dirname, '../..');
/** More than anybody runs at once in one checkout. */
const SLOTS = 32;
let running;

/**
 * Starts once, however many projects ask. Runs in one checkout may overlap: each takes its own folder below .tributary/test.
 * Tells the tests by TEST_DATABASE_URL, TEST_TEMPLATE and TEST_REDIS_URL.
 */
export async function startTestServices() {
  running ??= start();
  const { databaseUrl, template, redisUrl } = await running;
  process.env.TEST_DATABASE_URL = databaseUrl;
  process.env.TEST_TEMPLATE = template;
  if (redisUrl) process.env.TEST_REDIS_URL = redisUrl;
  else delete process.env.TEST_REDIS_URL;
}

export async function stopTestServices() {
  const services = await running?.catch(() => undefined);
  running = undefined;
  await services?.stop();
}

async function start() {
  const { startPostgres, startRedis, migrate } = await builtPackages();
  const stops = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const databaseUrl =
      process.env.DATABASE_URL ||
      (await startedInSlot(stops, (dir) => startPostgres({ dir, durable: false, settings: { max_connections: 300 } })));
    const redisUrl = process.env.REDIS_URL || (await startedInSlot(stops, (dir) => startRedis({ dir })));
    if (!redisUrl) {
      console.log(
        'Redis: no REDIS_URL and no redis-server on the PATH: the Redis half of the queue tests is not run; ' +
          'the same tests run on PostgreSQL.',
      );
    }
    const template = await makeTemplate(databaseUrl, migrate, stops);
    endOnSignal();
    return { databaseUrl, template, redisUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The packages as they are now: building what is built already takes a tenth of a second. */
async function builtPackages() {
  const built = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules/@typescript/native/bin/tsc'), '-b', 'migrations', 'packages/embedded-services'],
    { cwd: root, encoding: 'utf8' },
  );
  if (built.status !== 0) console.warn(`The build that the tests start with reports:\n${built.stdout}${built.stderr}`);
  const entries = ['packages/embedded-services/dist/index.js', 'migrations/dist/index.js'].map((file) => path.join(root, file));
  const missing = entries.find((file) => !existsSync(file));
  if (missing) throw new Error(`${path.relative(root, missing)} is missing: run npm run build and read what it says.`);
  const [embedded, migrations] = await Promise.all(entries.map((file) => import(pathToFileURL(file).href)));
  return { ...embedded, ...migrations };
}

async function startedInSlot(stops, startServer) {
  for (let slot = 0; slot < SLOTS; slot += 1) {
    try {
      const server = await startServer(path.join(root, '.tributary', 'test', `slot-${slot}`));
      if (server) stops.push(server.stop);
      return server?.url;
    } catch (error) {
      if (error.code !== 'busy') throw error;
    }
  }
  throw new Error(`${SLOTS} test runs are under way in this checkout; end some of them.`);
}

/**
 * Each run has its own databases, named after it, and a session of that name as a sign of life: databases of runs that were killed
 * are dropped by the next run on that server.
 */
async function makeTemplate(databaseUrl, migrate, stops) {
  const run = `tributary_test_${process.pid}_${Date.now().toString(36)}`;
  const life = new pg.Client({ connectionString: databaseUrl, application_name: run });
  life.on('error', () => undefined);
  await life.connect();
  stops.push(async () => {
    await dropDatabases(life, (name) => name.startsWith(run));
    await life.end();
  });
  const { rows: lives } = await life.query(
    `select application_name as name from pg_stat_activity where application_name like 'tributary\\_test\\_%'`,
  );
  await dropDatabases(life, (name) => !lives.some((living) => name.startsWith(living.name)));
  const template = `${run}_template`;
  await life.query(`create database ${template}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${template}`;
  await migrate(url.href);
  // Nobody may be connected to a database that is being cloned.
  await life.query(`alter database ${template} with allow_connections false`);
  return template;
}

async function dropDatabases(client, isOurs) {
  const { rows } = await client.query(`select datname as name from pg_database where datname like 'tributary\\_test\\_%'`);
  for (const { name } of rows.filter((row) => isOurs(row.name))) await client.query(`drop database if exists ${name} with (force)`);
}

/** Jest does not tear down on Ctrl-C. Leaving by exit() ends the servers: they are tied to this process. */
function endOnSignal() {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])
    process.once(signal, () => process.exit(code));
}
