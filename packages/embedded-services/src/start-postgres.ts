import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { diskFullProblem } from './disk-problem.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { lockFolder } from './folder-lock.js';
import { freePort } from './free-port.js';
import { lastLines, makeCluster, serverEnvironment } from './make-cluster.js';
import { postgresBin } from './postgres-binaries.js';
import { folderProblem, makeFolder, temporaryTwin } from './private-folder.js';
import { type EmbeddedServer, type Launched, launch } from './server-process.js';
import { type ServerUser, canReach, serverUser } from './server-user.js';
import { endStalePostmaster } from './stale-postmaster.js';

export interface PostgresOptions {
  /** Holds the data, the password and the log; made if it is not there. One process at a time. */
  readonly dir: string;
  /** A fixed port; without one, any free one. */
  readonly port?: number;
  /** Server settings over ours, by their names in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** False for tests: nothing is synced to disk, and data that cannot be started is thrown away. Default true. */
  readonly durable?: boolean;
}

export interface EmbeddedPostgres extends EmbeddedServer {
  /** Where the data lies: below `dir`, or below the temporary folder when the server's user cannot enter `dir`. */
  readonly dataDir: string;
}

interface Place {
  readonly dir: string;
  readonly data: string;
  readonly user: ServerUser;
  readonly bin: string;
  readonly password: string;
}

/**
 * Starts a PostgreSQL of our own from the binaries that npm installed: on 127.0.0.1 only, behind a random password. A second start
 * reuses the data; whatever a killed run left behind is ended first.
 * @throws EmbeddedServiceError whose message names what to do.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dir = path.resolve(options.dir);
  // Root's server runs as another user, who must be able to walk through; what matters below is closed by itself.
  makeFolder(dir, process.getuid?.() === 0 ? 0o711 : 0o700);
  let release: (() => void) | undefined;
  try {
    release = lockFolder(dir, 'postgres');
    const place = findPlace(dir);
    const { server, port } = await startInPlace(place, options);
    const stopAndRelease = async () => {
      await server.stop();
      release?.();
    };
    return {
      url: `postgres://postgres:${place.password}@127.0.0.1:${port}/postgres`,
      pid: server.pid,
      port,
      dataDir: place.data,
      stop: stopAndRelease,
    };
  } catch (error) {
    release?.();
    throw folderProblem(dir, error as NodeJS.ErrnoException);
  }
}

function findPlace(dir: string): Place {
  const user = serverUser(path.join(dir, 'postgres'));
  const home = canReach(dir, user) ? dir : temporaryTwin('data', dir);
  const data = path.join(home, 'postgres');
  const owner = serverUser(data);
  return { dir, data, user: owner, bin: postgresBin(owner), password: readPassword(dir, data) };
}

/** Any user of the machine can reach the port; only who can read this file gets in. */
function readPassword(dir: string, data: string): string {
  const file = path.join(dir, 'postgres.password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (existsSync(data)) {
    throw new EmbeddedServiceError(
      'data',
      `${file} is lost, and the data in ${data} cannot be read without it. ` +
        'Put it back, remove both to begin anew, or set TRIBUTARY_DATA_DIR to another folder.',
    );
  }
  const password = randomBytes(32).toString('hex');
  writeFileSync(file, password, { mode: 0o600 });
  return password;
}

async function startInPlace(place: Place, options: PostgresOptions): Promise<{ server: Launched; port: number }> {
  const durable = options.durable ?? true;
  try {
    await endStalePostmaster(place.data);
    await makeCluster({ ...place, durable });
    return await launchPostgres(place, options);
  } catch (error) {
    const broken = error instanceof EmbeddedServiceError && (error.code === 'data' || error.code === 'failed');
    if (durable || !broken) throw error;
    rmSync(place.data, { recursive: true, force: true });
    await makeCluster({ ...place, durable });
    return launchPostgres(place, options);
  }
}

async function launchPostgres(place: Place, options: PostgresOptions): Promise<{ server: Launched; port: number }> {
  for (let tries = 1; ; tries += 1) {
    const port = options.port || (await freePort());
    const server = launch({
      program: path.join(place.bin, 'postgres'),
      args: ['-D', place.data, ...settingArguments(port, options)],
      user: place.user,
      env: serverEnvironment,
      logFile: path.join(place.dir, 'postgres.log'),
      stopSignal: options.durable === false ? 'SIGQUIT' : 'SIGINT', // SIGINT is the fast shutdown, SIGQUIT leaves at once
    });
    const problem = await readyOrProblem(server, place.data);
    if (problem === undefined) return { server, port };
    await server.stop();
    const portTaken = /could not bind|Address already in use/.test(problem);
    if (portTaken && options.port) {
      throw new EmbeddedServiceError('port', `Port ${port} is in use by another program; PostgreSQL needs another one.`);
    }
    // Workers of a postmaster that was killed end by themselves, some a moment later; and a killed one that nobody has waited for yet
    // still answers to the question whether it lives.
    const orphans = /pre-existing shared memory block|is still in use|lock file ".*" already exists/.test(problem);
    if (tries < 30 && (orphans || (portTaken && tries < 5))) {
      await sleep(orphans ? 500 : 0);
      continue;
    }
    const full = diskFullProblem(problem, place.dir);
    if (full !== undefined) throw new EmbeddedServiceError('disk', full);
    throw new EmbeddedServiceError('failed', `PostgreSQL did not start in ${place.data}: ${lastLines(problem)}`);
  }
}

function settingArguments(port: number, options: PostgresOptions): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '', // a long path would break it
    max_connections: 200,
    // A refused statement may name a person in its message; who sent it is told anyway.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(options.durable === false ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
    ...options.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Line 8 of postmaster.pid says when connections are taken: no client is needed. */
async function readyOrProblem(server: Launched, data: string): Promise<string | undefined> {
  const pidFile = path.join(data, 'postmaster.pid');
  for (let waited = 0; waited < 60_000; waited += 10) {
    if (server.ended()) return server.output() || 'it ended without a word';
    let lines: string[] = [];
    try {
      lines = readFileSync(pidFile, 'utf8').split('\n');
    } catch {
      /* not written yet */
    }
    if (Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready') return undefined;
    await sleep(10);
  }
  return `not ready after a minute. ${server.output()}`;
}
