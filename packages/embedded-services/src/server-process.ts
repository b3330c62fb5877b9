import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { type Socket } from 'node:net';
import { endProcess } from './end-process.js';
import { type ServerUser } from './server-user.js';

/** A server that this process started and ends. */
export interface EmbeddedServer {
  readonly url: string;
  readonly pid: number;
  readonly port: number;
  /** Ends the server and gives its folder back. May be called twice. */
  stop(): Promise<void>;
}

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly user: ServerUser;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Given to the server's standard input, where others on the machine cannot read it. */
  readonly input?: string;
  readonly stopSignal: NodeJS.Signals;
}

export interface Launched {
  readonly pid: number;
  readonly ended: () => boolean;
  /** What the server wrote since this launch. */
  readonly output: () => string;
  stop(): Promise<void>;
}

const LOG_LIMIT_BYTES = 10_000_000;

/**
 * Starts a server in a process group of its own, so that Ctrl-C reaches it only through us: after those who use it. It does not
 * keep this process alive, and is ended when this process ends, in whatever way.
 */
export function launch({ program, args, user, env, logFile, input, stopSignal }: Launch): Launched {
  if (existsSync(logFile) && statSync(logFile).size > LOG_LIMIT_BYTES) truncateSync(logFile);
  const log = openSync(logFile, 'a', 0o600);
  const from = statSync(logFile).size;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      uid: user.uid,
      gid: user.gid,
      cwd: '/',
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', log, log],
      detached: true,
    });
  } finally {
    closeSync(log);
  }
  let failure = '';
  let ended = false;
  child.once('error', (error) => {
    failure = error.message;
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  child.stdin?.on('error', () => undefined); // it ended before it read: its output says why
  child.stdin?.end(input);
  child.unref();
  const pid = child.pid ?? 0;
  const endWithUs = () => {
    if (!ended && pid)
      try {
        process.kill(pid, stopSignal);
      } catch {
        /* gone */
      }
  };
  process.once('exit', endWithUs);
  const watcher = pid ? watchOver(pid, stopSignal) : undefined;
  child.once('exit', () => {
    process.off('exit', endWithUs);
    watcher?.kill('SIGKILL');
  });
  return {
    pid,
    ended: () => ended,
    output: () => failure + readFileSync(logFile).subarray(from).toString(),
    async stop() {
      process.off('exit', endWithUs);
      if (ended || !pid) return;
      await endProcess(pid, [
        { signal: stopSignal, waitMs: 15_000 },
        { signal: 'SIGQUIT', waitMs: 5_000 },
        { signal: 'SIGKILL', waitMs: 5_000 },
      ]);
    },
  };
}

/**
 * A kill -9 of this process runs nothing here, but it closes the pipe that a small shell reads from: that one ends the server.
 * Windows has no such shell; there the next start finds the server and ends it.
 */
function watchOver(pid: number, stopSignal: NodeJS.Signals): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const watcher = spawn('/bin/sh', ['-c', 'read -r _; kill -s "$1" "$0"', String(pid), stopSignal.slice('SIG'.length)], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.once('error', () => undefined); // no shell: as on Windows
  watcher.stdin?.on('error', () => undefined);
  watcher.unref();
  (watcher.stdin as Socket | null)?.unref();
  return watcher;
}
