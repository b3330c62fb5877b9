import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '@tributary/service-shell';

/** The folder that holds everything this machine keeps: database, keys, logs. Only its owner may look inside the secret files. */
export function openDataFolder(dir: string): { readonly logs: string } {
  try {
    makeFolder(path.join(dir, 'logs'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC')
      throw new ConfigError(`The disk of ${dir} is full. Free some space, or set TRIBUTARY_DATA_DIR to a folder on another disk.`);
    throw new ConfigError(`Cannot write to ${dir} (${code}). Set TRIBUTARY_DATA_DIR to a folder that you may write to.`);
  }
  return { logs: path.join(dir, 'logs') };
}

/** Step by step: with `recursive`, Node.js 20 never returns where the kernel says that a folder under an existing one does not exist (/proc). */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  makeFolder(path.dirname(dir));
  mkdirSync(dir);
}

/** The keys that seal tokens and secrets: made once and kept, since what they sealed must open after a restart. */
export function keepKeys(dir: string): string {
  const file = path.join(dir, 'keys');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const keys = `local:${randomBytes(32).toString('base64')}`;
  writeFileSync(file, `${keys}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return keys;
}
