import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { endGently, inOtherProcess, killHard, makeWorkspace } from '../testing/workspace.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { commandLine, isAlive } from './process-facts.js';
import { canReach, serverUser } from './server-user.js';
import { type EmbeddedPostgres, type PostgresOptions, startPostgres } from './start-postgres.js';

const root = process.getuid?.() === 0;
let dir: string;
let endings: (() => unknown)[];

beforeEach(() => {
  const workspace = makeWorkspace();
  dir = path.join(workspace.dir, 'services');
  endings = [workspace.remove];
});
afterEach(async () => {
  for (const end of endings.reverse()) await end();
});

async function start(options: Partial<PostgresOptions> = {}): Promise<EmbeddedPostgres> {
  // Syncing a new cluster to disk is most of the time of a start; the tests that are about it ask for it.
  const server = await startPostgres({ dir, durable: false, ...options });
  endings.push(server.stop);
  return server;
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function refusal(attempt: Promise<unknown>): Promise<EmbeddedServiceError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(EmbeddedServiceError);
  return error as EmbeddedServiceError;
}

/** Waits until the process has ended; the test's time limit is the limit. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(20);
}

/** A process that has nothing to do with us, run by the same user as the server. */
function bystander(): ChildProcess {
  const { uid, gid } = serverUser(path.join(dir, 'postgres'));
  const child = spawn('sleep', ['60'], { cwd: '/', ...(uid === undefined ? {} : { uid, gid }) });
  endings.push(() => killHard(child));
  return child;
}

/** A process of the server's user that has ended, and whose parent does not look. */
async function zombie(): Promise<{ pid: number; end: () => void }> {
  const { uid, gid } = serverUser(path.join(dir, 'postgres'));
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(uid === undefined ? {} : { uid, gid }),
  });
  endings.push(() => killHard(parent));
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  return { pid: Number(line.toString()), end: () => parent.kill('SIGKILL') };
}

/** The small shells that were told `pid`. */
function processesThatName(pid: string): string[] {
  const lines = existsSync('/proc/self/cmdline')
    ? readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [commandLine(Number(name)).join(' ')] : []))
    : spawnSync('ps', ['-A', '-o', 'command='], { encoding: 'utf8' }).stdout.split('\n');
  return lines.filter((line) => line.includes('read -r _') && line.split(' ').includes(pid));
}

describe('startPostgres', () => {
  it('keeps data and password over a clean stop and a second start', async () => {
    const first = await start({ durable: true });
    await ask(first.url, 'create table kept as select 8431 as steps');
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
    const second = await start({ durable: true });
    expect(await ask(second.url, 'select steps from kept')).toEqual([{ steps: 8431 }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    expect(readFileSync(path.join(dir, 'postgres.log'), 'utf8')).not.toContain('automatic recovery');
  });

  it('is closed to everybody else on the machine', async () => {
    const server = await start();
    const open = new URL(server.url);
    open.password = '';
    await expect(ask(open.href, 'select 1')).rejects.toThrow(/password/);
    open.password = 'guess';
    await expect(ask(open.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    expect(
      await ask(server.url, `select setting from pg_settings where name in ('listen_addresses', 'unix_socket_directories') order by name`),
    ).toEqual([{ setting: '127.0.0.1' }, { setting: '' }]);
    expect(statSync(server.dataDir).mode & 0o777).toBe(0o700);
    for (const file of ['postgres.password', 'postgres.log', 'postgres.lock']) expect(statSync(path.join(dir, file)).mode & 0o077).toBe(0);
    if (root) expect(statSync(server.dataDir).uid).not.toBe(0);
  });

  it('writes no value of a refused statement into its log', async () => {
    const server = await start();
    await expect(
      ask(server.url, `create table t (id text primary key); insert into t values ('person-77'), ('person-77')`),
    ).rejects.toThrow(/duplicate key/);
    await expect(ask(server.url, `select 'person-78'::date`)).rejects.toThrow(/person-78/);
    expect(readFileSync(path.join(dir, 'postgres.log'), 'utf8')).not.toMatch(/person-7/);
  });

  it('refuses a folder that is in use, here and elsewhere, and leaves the first server alone', async () => {
    const server = await start();
    const here = await refusal(startPostgres({ dir }));
    expect([here.code, here.message]).toEqual(['busy', expect.stringContaining('TRIBUTARY_DATA_DIR')]);
    expect(here.message).toContain(String(process.pid));
    const { child, said } = await inOtherProcess(
      `await embedded.startPostgres({ dir: ${JSON.stringify(dir)} }); say({ code: 'started' });`,
    );
    await killHard(child);
    expect(said).toEqual({ code: 'busy', message: here.message });
    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('recovers when its postmaster was killed', async () => {
    const first = await start({ durable: true });
    await ask(first.url, 'create table kept as select 8431 as steps');
    process.kill(first.pid, 'SIGKILL');
    await first.stop();
    const second = await start({ durable: true });
    expect(await ask(second.url, 'select steps from kept')).toEqual([{ steps: 8431 }]);
  });

  it('takes over the data of a run that was killed, whether or not its server has ended yet', async () => {
    const run = await inOtherProcess(
      `const { url, pid } = await embedded.startPostgres({ dir: ${JSON.stringify(dir)} }); say({ url, pid });`,
    );
    const { url, pid } = run.said as { url: string; pid: number };
    await ask(url, 'create table kept as select 8431 as steps');
    await killHard(run.child);
    const second = await start();
    expect(isAlive(pid)).toBe(false);
    expect(await ask(second.url, 'select steps from kept')).toEqual([{ steps: 8431 }]);
  });

  it('leaves no server behind when its process is killed, and nothing that watches over it', async () => {
    const run = await inOtherProcess(`const { pid } = await embedded.startPostgres({ dir: ${JSON.stringify(dir)} }); say({ pid });`);
    await killHard(run.child);
    await gone(Number(run.said['pid']));
    expect(processesThatName(String(run.said['pid']))).toEqual([]);
  });

  it('leaves nothing that watches over a server that was stopped', async () => {
    const server = await start();
    expect(processesThatName(String(server.pid))).toHaveLength(1);
    await server.stop();
    while (processesThatName(String(server.pid)).length > 0) await sleep(20);
  });

  it('waits until a killed postmaster has been waited for', async () => {
    const first = await start();
    await first.stop();
    const { pid, end } = await zombie();
    writeFileSync(path.join(first.dataDir, 'postmaster.pid'), `${pid}\n${first.dataDir}\n1\n${first.port}\n\n127.0.0.1\n`);
    setTimeout(end, 1_000);
    const second = await start();
    expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('ends its server when the process exits without a stop', async () => {
    const run = await inOtherProcess(
      `const { pid } = await embedded.startPostgres({ dir: ${JSON.stringify(dir)} }); say({ pid }); setTimeout(() => process.exit(0), 50);`,
    );
    await once(run.child, 'exit');
    await gone(Number(run.said['pid']));
  });

  it('passes over a stale pid file whose pid went to another process, and leaves that process alone', async () => {
    const first = await start();
    await first.stop();
    const other = bystander();
    writeFileSync(path.join(first.dataDir, 'postmaster.pid'), `${other.pid}\n${first.dataDir}\n1\n${first.port}\n\n127.0.0.1\n`);
    await start();
    expect(isAlive(other.pid ?? 0)).toBe(true);
  });

  it('passes over a pid file that names a PostgreSQL of another folder, and leaves that one alone', async () => {
    const neighbour = await start({ dir: path.join(dir, 'neighbour') });
    const first = await start();
    await first.stop();
    writeFileSync(path.join(first.dataDir, 'postmaster.pid'), `${neighbour.pid}\n`);
    await start();
    expect(await ask(neighbour.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('passes over an empty pid file', async () => {
    const first = await start();
    await first.stop();
    writeFileSync(path.join(first.dataDir, 'postmaster.pid'), '');
    const second = await start();
    expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('passes over the lock of a holder that is dead', async () => {
    mkdirSync(dir, { recursive: true });
    const other = bystander();
    await killHard(other);
    writeFileSync(path.join(dir, 'postgres.lock'), `${other.pid} 1`);
    const server = await start();
    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('refuses a port that is taken, and gives the folder back', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const error = await refusal(startPostgres({ dir, port }));
    taken.close();
    await once(taken, 'close');
    expect([error.code, error.message]).toEqual(['port', expect.stringContaining(`Port ${port}`)]);
    expect((await start({ port })).port).toBe(port);
  });

  it('keeps what it cannot use, and says what to do', async () => {
    const first = await start();
    await first.stop();
    writeFileSync(path.join(first.dataDir, 'PG_VERSION'), '9\n');
    const old = await refusal(startPostgres({ dir }));
    expect([old.code, old.message]).toEqual(['data', expect.stringMatching(/PostgreSQL 9, .*PostgreSQL 18.*TRIBUTARY_DATA_DIR/s)]);
    rmSync(path.join(dir, 'postgres.password'));
    const lost = await refusal(startPostgres({ dir }));
    expect([lost.code, lost.message]).toEqual(['data', expect.stringContaining('postgres.password is lost')]);
    expect(existsSync(path.join(first.dataDir, 'global', 'pg_control'))).toBe(true);
  });

  it('makes broken data anew only when it is throwaway', async () => {
    const first = await start();
    await first.stop();
    writeFileSync(path.join(first.dataDir, 'global', 'pg_control'), 'broken');
    const kept = await refusal(startPostgres({ dir }));
    expect([kept.code, kept.message]).toEqual(['failed', expect.stringContaining('pg_control')]);
    const second = await start({ durable: false });
    expect(await ask(second.url, `select setting from pg_settings where name = 'fsync'`)).toEqual([{ setting: 'off' }]);
  });

  it('starts below a folder that only its owner may enter', async () => {
    const closed = path.join(dir, 'closed');
    mkdirSync(path.join(closed, 'services'), { recursive: true, mode: 0o700 });
    const server = await start({ dir: path.join(closed, 'services') });
    endings.push(() => rmSync(path.dirname(server.dataDir), { recursive: true, force: true }));
    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(server.dataDir.startsWith(closed)).toBe(!root);
    expect(statSync(server.dataDir).mode & 0o077).toBe(0);
  });

  it('names TRIBUTARY_DATA_DIR where nothing can be written or a file stands in the way', async () => {
    const nowhere = await refusal(startPostgres({ dir: '/proc/nowhere/at/all' }));
    expect([nowhere.code, nowhere.message]).toEqual(['access', expect.stringContaining('TRIBUTARY_DATA_DIR')]);
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, 'file'), '');
    const inTheWay = await refusal(startPostgres({ dir: path.join(dir, 'file') }));
    expect([inTheWay.code, inTheWay.message]).toEqual(['data', expect.stringContaining('TRIBUTARY_DATA_DIR')]);
  });

  it('starts for an ordinary user', async () => {
    // As root, where this checkout can be entered by others, as somebody who is not us; else as ourselves.
    const nobody = { uid: 65_534, gid: 65_534 };
    const other = root && canReach(import.meta.dirname, nobody) ? nobody : undefined;
    const workspace = makeWorkspace(other);
    endings.push(workspace.remove);
    const run = await inOtherProcess(
      `const { url, dataDir, pid } = await embedded.startPostgres({ dir: ${JSON.stringify(path.join(workspace.dir, 'services'))} }); say({ url, dataDir, pid });`,
      other,
    );
    endings.push(async () => {
      await endGently(run.child);
      await gone(Number(run.said['pid']));
    });
    expect(run.said).toMatchObject({
      url: expect.stringContaining('postgres://'),
      dataDir: path.join(workspace.dir, 'services', 'postgres'),
    });
    expect(await ask(run.said['url'] as string, 'select 1 as one')).toEqual([{ one: 1 }]);
    if (other) expect(statSync(run.said['dataDir'] as string).uid).toBe(other.uid);
  });
});
