import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { bornAt, isAlive } from './process-facts.js';

/** Locks of this process, so that a second start here is told the same as one elsewhere. */
const held = new Set<string>();

/**
 * Takes a folder for this process. Node has no flock: the lock is a file that names its holder, put in place by a link, which
 * succeeds for one only. A holder that is dead (or whose pid went to another process) is passed over.
 * @returns how to give it back.
 * @throws EmbeddedServiceError `busy`.
 */
export function lockFolder(dir: string, name: string): () => void {
  const lock = path.join(dir, `${name}.lock`);
  const mine = `${process.pid} ${bornAt(process.pid) ?? ''}`;
  const offer = `${lock}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(offer, mine, { mode: 0o600 });
  try {
    for (let tries = 0; tries < 50; tries += 1) {
      if (linked(offer, lock)) {
        held.add(lock);
        return () => {
          if (held.delete(lock) && read(lock) === mine) rmSync(lock, { force: true });
        };
      }
      const holder = read(lock);
      if (holder === undefined) continue;
      if (isHolding(holder, lock)) throw new EmbeddedServiceError('busy', busyMessage(dir, holder));
      putAside(lock, holder, `${offer}.old`);
    }
    throw new EmbeddedServiceError('busy', busyMessage(dir, read(lock) ?? 'unknown'));
  } finally {
    rmSync(offer, { force: true });
  }
}

function busyMessage(dir: string, holder: string): string {
  return (
    `The folder ${dir} is in use by another Tributary (process ${holder.split(' ')[0]}). ` +
    'Stop that one first, or set TRIBUTARY_DATA_DIR to another folder.'
  );
}

function isHolding(holder: string, lock: string): boolean {
  const [pid, born] = holder.split(' ');
  if (Number(pid) === process.pid) return held.has(lock);
  if (!(Number(pid) > 0) || !isAlive(Number(pid))) return false;
  const now = bornAt(Number(pid));
  return !born || now === undefined || now === born;
}

function linked(offer: string, lock: string): boolean {
  try {
    linkSync(offer, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a dead holder's lock, unless somebody else did so and took it since we looked: then theirs goes back. */
function putAside(lock: string, dead: string, aside: string): void {
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  if (read(aside) !== dead) linked(aside, lock);
  unlinkSync(aside);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
