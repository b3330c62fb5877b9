import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';

/** Makes a folder unless it is there; one that is there keeps its mode. @throws EmbeddedServiceError `access` or `disk`, naming TRIBUTARY_DATA_DIR. */
export function makeFolder(dir: string, mode: number): void {
  try {
    makeWithParents(path.resolve(dir), mode);
  } catch (error) {
    throw folderProblem(dir, error as NodeJS.ErrnoException);
  }
}

/** One by one: mkdir's own `recursive` never returns where a folder exists but takes none, as below /proc (Node 20). */
function makeWithParents(dir: string, mode: number): void {
  if (existsSync(dir)) {
    if (!statSync(dir).isDirectory()) throw Object.assign(new Error(`${dir} is not a folder`), { code: 'ENOTDIR' });
    return;
  }
  if (dir !== path.dirname(dir)) makeWithParents(path.dirname(dir), mode);
  try {
    mkdirSync(dir, { mode });
    chmodSync(dir, mode); // the umask may have narrowed it
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was quicker
  }
}

/** Turns a refusal of the file system into a message for a person. */
export function folderProblem(dir: string, error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
      return new EmbeddedServiceError(
        'access',
        `Cannot write to ${dir} (${error.code}): it belongs to another user or is read-only. ` +
          'Remove it, start as its owner, or set TRIBUTARY_DATA_DIR to a folder of your own.',
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new EmbeddedServiceError(
        'disk',
        `The disk of ${dir} is full. Free some space, or set TRIBUTARY_DATA_DIR to a folder on another disk.`,
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return new EmbeddedServiceError('data', `${dir} is not a folder. Remove it, or set TRIBUTARY_DATA_DIR to another folder.`);
    default:
      return error;
  }
}

/**
 * A folder below the system's temporary folder that stands in for one which the server's user cannot reach. Its name is guessable,
 * so it is used only when it is ours and nobody else can write to it.
 */
export function temporaryTwin(purpose: string, of: string): string {
  const dir = path.join(tmpdir(), `tributary-${purpose}-${createHash('sha256').update(path.resolve(of)).digest('hex').slice(0, 16)}`);
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  const found = lstatSync(dir);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new EmbeddedServiceError(
      'access',
      `${dir} belongs to another user. Remove it, or set TRIBUTARY_DATA_DIR to a folder that every user can enter.`,
    );
  }
  chmodSync(dir, 0o711);
  return dir;
}
