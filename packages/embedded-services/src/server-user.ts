import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';

/** Whom a server runs as: undefined ids mean ourselves. */
export interface ServerUser {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

/**
 * PostgreSQL refuses to run as root. As root it runs as the owner of its data, or else as `postgres` or `nobody`; an entry in the
 * password file is enough, no account need be made.
 */
export function serverUser(dataDir: string): ServerUser {
  if (process.getuid?.() !== 0) return { uid: undefined, gid: undefined };
  if (existsSync(dataDir)) {
    const { uid, gid } = statSync(dataDir);
    if (uid !== 0) return { uid, gid };
  }
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new EmbeddedServiceError(
    'missing',
    'PostgreSQL does not run as root, and the accounts "postgres" and "nobody" do not exist. ' +
      'Start as an ordinary user, or set DATABASE_URL to a database of your own.',
  );
}

/** Whether that user can walk down to a folder: a checkout below a 0700 home cannot be entered. */
export function canReach(dir: string, user: ServerUser): boolean {
  if (user.uid === undefined) return true;
  for (let at = path.resolve(dir); ; at = path.dirname(at)) {
    if (existsSync(at)) {
      const { uid, gid, mode } = statSync(at);
      const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
      if ((mode & bit) === 0) return false;
    }
    if (at === path.dirname(at)) return true;
  }
}
