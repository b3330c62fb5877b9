import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedServiceError, startPostgres } from '@tributary/embedded-services';
import { migrate } from '@tributary/migrations';
import { ConfigError, startFailure } from '@tributary/service-shell';
import { readArguments, usage } from './arguments.js';
import { keepKeys, openDataFolder } from './data-folder.js';
import { type LocalConfig, type PortVariable, localConfig } from './local.config.js';
import { choosePorts } from './ports.js';
import { ProcessRefusal, Processes } from './processes.js';
import { planOf } from './plan.js';
import { printIntroduction, printOutro, printStep } from './print.js';
import { tellStory } from './story/tell.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

interface Running {
  readonly ports: Record<PortVariable, number>;
  readonly databaseUrl: string;
  readonly processes: Processes;
  stop(): Promise<void>;
}

/** Database, schema, then every process; whatever started is stopped again when a later part cannot start, or is not wanted any more. */
async function startAll(config: LocalConfig, signal: AbortSignal): Promise<Running> {
  const { logs } = openDataFolder(config.dataDir);
  await choosePorts(config.ports); // before anything takes time, a port that was asked for is looked at
  const postgres = config.databaseUrl === undefined ? await startPostgres({ dir: path.join(config.dataDir, 'postgres') }) : undefined;
  const databaseUrl = config.databaseUrl ?? (postgres as { url: string }).url;
  const runFile = path.join(config.dataDir, 'run.json');
  const stop = async (processes?: Processes) => {
    await processes?.stop();
    await postgres?.stop();
    rmSync(runFile, { force: true });
  };
  try {
    signal.throwIfAborted();
    await migrate(databaseUrl);
    const keys = config.keys ?? keepKeys(config.dataDir);
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted();
      const ports = await choosePorts(config.ports);
      let up = false;
      const note = (pids: Record<string, number>) => writeFileSync(runFile, JSON.stringify({ pids, ports, up }, null, 2));
      const processes = new Processes(root, logs, note);
      const plans = planOf({ ports, databaseUrl, redisUrl: config.redisUrl, keys, logLevel: config.logLevel });
      try {
        await Promise.all(plans.map((plan) => processes.start(plan, signal)));
        up = true;
        note(processes.pids());
        return { ports, databaseUrl, processes, stop: () => stop(processes) };
      } catch (error) {
        await processes.stop();
        // A port is free until somebody takes it: two checkouts that start at once both choose it, and one of them chooses again.
        if (!(error instanceof ProcessRefusal && error.portTaken) || tries === 3) throw error;
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Aborted once a person, or the end of npm, asks everything to stop. */
const stopping = new AbortController();
/** The exit code of a program that Ctrl-C ended. */
const interrupted = 130;

/** npm hands on no signal that is meant for it alone, and can be killed: everything it started must end all the same. */
function stopWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stopping.abort();
  }, 250).unref();
}

interface Bootstrapped {
  readonly tenantId: string;
  readonly apiKey: string;
}

/** A tenant of its own for each telling, so that the story never leans on what an earlier one left. */
function bootstrap(databaseUrl: string): Bootstrapped {
  const made = spawnSync(
    process.execPath,
    [
      path.join(root, 'apps/api/dist/cli.js'),
      'bootstrap',
      '--tenant',
      `Demo ${new Date().toISOString()}`,
      '--environment',
      'test',
      '--debounce-ms',
      '400',
      '--max-wait-ms',
      '2000',
      '--json',
    ],
    { encoding: 'utf8', env: { ...process.env, DATABASE_URL: databaseUrl } },
  );
  if (made.status !== 0) throw new Error(`the demo tenant could not be made: ${made.stderr.trim()}`);
  return JSON.parse(made.stdout.trim().split('\n').at(-1) ?? '') as Bootstrapped;
}

async function main(): Promise<number> {
  const options = readArguments(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const config = localConfig(root, process.env, Date.now());
  const { signal } = stopping;
  const asked = new Promise<'asked'>((resolve) => {
    signal.addEventListener('abort', () => resolve('asked'));
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
  if (config.underNpm) stopWithParent();
  if (!options.json) console.log('Starting PostgreSQL, the four apps, the sandbox and a demo receiver …');
  const running = await startAll(config, signal);
  const url = (variable: PortVariable) => `http://127.0.0.1:${running.ports[variable]}`;
  try {
    const { tenantId, apiKey } = bootstrap(running.databaseUrl);
    const places = { api: url('API_PORT'), ingest: url('INGEST_PORT'), sandbox: url('SANDBOX_PORT'), receiver: url('RECEIVER_PORT') };
    if (!options.json) printIntroduction(places, (Date.now() - config.startedAt) / 1000);
    let number = 0;
    const telling = tellStory({ ...places, tenantId, apiKey, databaseUrl: running.databaseUrl }, (step, result) => {
      number += 1;
      if (!options.json && !signal.aborted) printStep(number, step, result);
    });
    telling.catch(() => undefined); // while everything is being stopped, nobody listens any more
    const told = await Promise.race([telling, asked]);
    if (told === 'asked') return interrupted;
    const seconds = round((Date.now() - config.startedAt) / 1000);
    const firstEventSeconds = told.firstEventAt === undefined ? null : round((told.firstEventAt - config.startedAt) / 1000);
    const { restarts } = running.processes;
    if (options.json)
      console.log(
        JSON.stringify({
          ok: told.ok,
          seconds,
          firstEventSeconds,
          queue: config.redisUrl ? 'redis' : 'postgres',
          restarts,
          steps: told.steps,
        }),
      );
    else
      printOutro({
        ok: told.ok,
        seconds,
        firstEventSeconds,
        places,
        apiKey,
        stays: !options.once,
        logs: path.join(config.dataDir, 'logs'),
      });
    if (!options.once) await asked;
    return told.ok ? 0 : 1;
  } finally {
    if (!options.json) console.log('Stopping …');
    await running.stop();
  }
}

const round = (n: number) => Math.round(n * 10) / 10;

try {
  process.exitCode = await main();
} catch (error) {
  // What fails while everything is being stopped fails because of that.
  if (stopping.signal.aborted) process.exit(interrupted);
  const plain = error instanceof ConfigError || error instanceof EmbeddedServiceError;
  const { message, exitCode } = plain ? { message: (error as Error).message, exitCode: 2 } : startFailure('npm start', error);
  console.error(message);
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ok: false, error: message, steps: [] }));
  process.exitCode = exitCode;
}
