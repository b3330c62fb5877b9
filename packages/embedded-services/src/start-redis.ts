import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { diskFullProblem } from './disk-problem.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { endProcess } from './end-process.js';
import { lockFolder } from './folder-lock.js';
import { freePort } from './free-port.js';
import { lastLines, serverEnvironment } from './make-cluster.js';
import { folderProblem, makeFolder } from './private-folder.js';
import { bornAt } from './process-facts.js';
import { redisProgram } from './redis-server.config.js';
import { type EmbeddedServer, type Launched, launch } from './server-process.js';

export interface RedisOptions {
  /** Holds the log and the note of who runs; made if it is not there. One process at a time. */
  readonly dir: string;
  readonly port?: number;
  /** The program; without it `REDIS_SERVER`, else `redis-server` or `valkey-server` on the PATH. */
  readonly program?: string;
}

/**
 * Starts a Redis (or Valkey) of our own: on 127.0.0.1 only, behind a random password, keeping nothing.
 * @returns undefined when this machine has none. Nothing is downloaded.
 * @throws EmbeddedServiceError whose message names what to do.
 */
export async function startRedis(options: RedisOptions): Promise<EmbeddedServer | undefined> {
  const program = options.program ?? redisProgram();
  if (program === undefined) return undefined;
  const dir = path.resolve(options.dir);
  makeFolder(dir, process.getuid?.() === 0 ? 0o711 : 0o700);
  let release: (() => void) | undefined;
  try {
    release = lockFolder(dir, 'redis');
    const note = path.join(dir, 'redis.process');
    await endStaleRedis(note);
    const password = randomBytes(32).toString('hex');
    const { server, port } = await launchRedis(program, dir, password, options.port);
    writeFileSync(note, `${server.pid} ${bornAt(server.pid) ?? ''}`, { mode: 0o600 });
    return {
      url: `redis://:${password}@127.0.0.1:${port}`,
      pid: server.pid,
      port,
      async stop() {
        await server.stop();
        rmSync(note, { force: true });
        release?.();
      },
    };
  } catch (error) {
    release?.();
    throw folderProblem(dir, error as NodeJS.ErrnoException);
  }
}

async function launchRedis(
  program: string,
  dir: string,
  password: string,
  fixedPort?: number,
): Promise<{ server: Launched; port: number }> {
  for (let tries = 1; ; tries += 1) {
    const port = fixedPort || (await freePort());
    const settings = {
      port,
      bind: '127.0.0.1',
      requirepass: password,
      save: '""',
      appendonly: 'no',
      daemonize: 'no',
      logfile: '""',
      loglevel: 'warning',
      'maxmemory-policy': 'noeviction', // BullMQ loses jobs under any other
    };
    const server = launch({
      program,
      args: ['-'],
      user: { uid: undefined, gid: undefined },
      env: serverEnvironment,
      logFile: path.join(dir, 'redis.log'),
      input: Object.entries(settings)
        .map(([name, value]) => `${name} ${value}\n`)
        .join(''),
      stopSignal: 'SIGTERM',
    });
    const problem = await readyOrProblem(server, port, password);
    if (problem === undefined) return { server, port };
    await server.stop();
    const portTaken = /Address already in use|Failed listening|Could not create server TCP/i.test(problem);
    if (portTaken && fixedPort)
      throw new EmbeddedServiceError('port', `Port ${port} is in use by another program; Redis needs another one.`);
    if (portTaken && tries < 5) continue;
    const full = diskFullProblem(problem, dir);
    if (full !== undefined) throw new EmbeddedServiceError('disk', full);
    throw new EmbeddedServiceError(
      'failed',
      `${program} did not start: ${lastLines(problem)}. Correct REDIS_SERVER, or set REDIS_URL to a Redis of your own.`,
    );
  }
}

async function readyOrProblem(server: Launched, port: number, password: string): Promise<string | undefined> {
  for (let waited = 0; waited < 20_000; waited += 10) {
    if (server.ended()) return server.output() || 'it ended without a word';
    if (await answers(port, password)) return undefined;
    await sleep(10);
  }
  return `not ready after 20 seconds. ${server.output()}`;
}

/** Its own password must fit: on a port that another program took meanwhile, it does not. */
function answers(port: number, password: string): Promise<boolean> {
  return new Promise((told) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    let text = '';
    const end = (answer: boolean) => {
      socket.destroy();
      told(answer);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.on('data', (data) => {
      text += data.toString();
      if (text.includes('+PONG')) end(true);
      else if (text.startsWith('-')) end(false);
    });
    socket.once('error', () => end(false));
    socket.once('close', () => told(false));
  });
}

/** It holds nothing worth keeping, so a server of a killed run is only ended. Its pid must not have gone to another process. */
async function endStaleRedis(note: string): Promise<void> {
  let text: string;
  try {
    text = readFileSync(note, 'utf8');
  } catch {
    return;
  }
  const [pid, ...born] = text.split(' ');
  if (Number(pid) > 0 && born.join(' ') !== '' && bornAt(Number(pid)) === born.join(' ')) {
    await endProcess(Number(pid), [
      { signal: 'SIGTERM', waitMs: 5_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ]);
  }
  rmSync(note, { force: true });
}
