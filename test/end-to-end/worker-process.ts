import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import path from 'node:path';
import type { Workbench } from '../../apps/worker/testing/workbench.js';
import { TEST_KEYS } from '../../packages/storage/testing/seed.js';

/** The worker as it runs in production, on the workbench's database and provider. Whoever starts it ends it. */
export function spawnWorker({ db, oura }: Workbench, env: Readonly<Record<string, string>>, stdio: StdioOptions = 'inherit'): ChildProcess {
  return spawn(process.execPath, [path.resolve('apps/worker/dist/main.js')], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: db.url,
      TRIBUTARY_KEYS: TEST_KEYS,
      TRIBUTARY_SANDBOX_URL: oura.url,
      WORKER_PORT: '0',
      ...env,
    },
    stdio,
  });
}
