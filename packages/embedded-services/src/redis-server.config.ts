import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The Redis (or Valkey) program of this machine: `REDIS_SERVER`, else on the PATH; undefined when there is none. */
export function redisProgram(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env['REDIS_SERVER']) return env['REDIS_SERVER'];
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  return ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
