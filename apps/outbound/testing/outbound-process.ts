import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { TEST_KEYS } from '../../../packages/storage/testing/seed.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface OutboundProcess {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>;
}

/** The built process as it runs in production, but that it may send to this machine. */
export function startOutbound(databaseUrl: string, environment: Readonly<Record<string, string>> = {}): OutboundProcess {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: databaseUrl,
    TRIBUTARY_KEYS: TEST_KEYS,
    OUTBOUND_PORT: '0',
    OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    ...environment,
  };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    output: () => output,
    exited,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
