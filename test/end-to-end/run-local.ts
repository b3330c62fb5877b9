import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

export interface Told {
  readonly ok: boolean;
  readonly seconds: number;
  readonly firstEventSeconds: number | null;
  readonly queue: string;
  readonly restarts: number;
  readonly error?: string;
  readonly steps: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly counts: Record<string, number>;
    readonly fault?: string;
  }[];
}

export interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  readonly ended: Promise<number | null>;
}

/** A folder that the server's own user can reach too, when the tests run as root. */
export function scratchFolder(): string {
  return mkdtempSync(path.join(os.tmpdir(), 'tributary-e2e-'));
}

/** `npm start -- …args` as a person would, without npm in between so that signals reach it. */
export function runLocal(args: readonly string[], env: Record<string, string | undefined>): Run {
  const clean = { ...process.env, ...env };
  for (const [name, value] of Object.entries(env)) if (value === undefined) delete clean[name];
  const child = spawn(process.execPath, [path.join(root, 'apps/local/start.mjs'), ...args], {
    cwd: root,
    env: clean,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return { child, output: () => output, errors: () => errors, ended };
}

/** Ports free, data in `dir`, and none of the variables of whoever runs the tests. */
export function isolated(dir: string, redisUrl?: string): Record<string, string | undefined> {
  return {
    TRIBUTARY_DATA_DIR: dir,
    DATABASE_URL: undefined,
    REDIS_URL: redisUrl,
    TRIBUTARY_KEYS: undefined,
    NODE_OPTIONS: undefined,
    API_PORT: '0',
    INGEST_PORT: '0',
    WORKER_PORT: '0',
    OUTBOUND_PORT: '0',
    SANDBOX_PORT: '0',
    RECEIVER_PORT: '0',
  };
}

export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

export function readTold(run: Run): Told {
  return JSON.parse(lastLine(run.output())) as Told;
}

export interface RunFile {
  readonly pids: Record<string, number>;
  readonly ports: Record<string, number>;
  /** Every process has answered once, and the story begins. */
  readonly up: boolean;
}

/** What is running now, as `npm start` wrote it down. */
export function runFile(dir: string): RunFile | undefined {
  const file = path.join(dir, 'run.json');
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunFile;
  } catch {
    return undefined; // being written
  }
}

export async function eventually<T>(ask: () => T | undefined, timeoutMs: number): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function removeFolder(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}
