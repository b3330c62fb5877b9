import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { endProcess } from './end-process.js';
import { commandLine, isAlive, workingFolder } from './process-facts.js';

/**
 * Clears what a killed run left in a data folder that we hold the lock of: a server still running there is ended, and a pid file
 * that names a process which is not such a server is removed (the pid was given to another one, and PostgreSQL would refuse).
 * @throws EmbeddedServiceError `busy` when the server there cannot be ended.
 */
export async function endStalePostmaster(data: string): Promise<void> {
  const pidFile = path.join(data, 'postmaster.pid');
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  } catch {
    return;
  }
  if (Number.isInteger(pid) && pid > 0 && isAlive(pid)) {
    if (isPostmasterOf(data, pid)) {
      const gone = await endProcess(pid, [
        { signal: 'SIGINT', waitMs: 10_000 },
        { signal: 'SIGQUIT', waitMs: 5_000 },
        { signal: 'SIGKILL', waitMs: 5_000 },
      ]);
      if (gone) return;
      throw new EmbeddedServiceError(
        'busy',
        `A PostgreSQL (process ${pid}) from an earlier run holds ${data} and cannot be ended. ` +
          'End it, or set TRIBUTARY_DATA_DIR to another folder.',
      );
    }
    rmSync(pidFile, { force: true });
  } else if (!(pid > 0)) {
    rmSync(pidFile, { force: true }); // PostgreSQL refuses an empty one
  }
}

function isPostmasterOf(data: string, pid: number): boolean {
  const [program = '', ...args] = commandLine(pid);
  if (!/postgres(\.exe)?$/.test(program)) return false;
  return args.includes(data) || workingFolder(pid) === data;
}
