import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { diskFullProblem, diskProblem } from './disk-problem.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { type ServerUser } from './server-user.js';

export interface ClusterPlan {
  readonly bin: string;
  /** The data folder; its parent must exist. */
  readonly data: string;
  readonly user: ServerUser;
  readonly password: string;
  readonly durable: boolean;
}

/**
 * Makes a database cluster, or finds one of our version. A half-made one never stands in its place: it is made beside and renamed.
 * @throws EmbeddedServiceError `disk`, `data` or `failed`.
 */
export async function makeCluster(plan: ClusterPlan): Promise<void> {
  const { bin, data, user } = plan;
  const versionFile = path.join(data, 'PG_VERSION');
  if (existsSync(versionFile)) {
    const found = readFileSync(versionFile, 'utf8').trim();
    const ours = await majorVersion(bin, user);
    if (found === ours) return;
    throw new EmbeddedServiceError(
      'data',
      `${data} was made by PostgreSQL ${found}, and this is PostgreSQL ${ours}. ` +
        'Remove that folder to begin anew, or set TRIBUTARY_DATA_DIR to another one.',
    );
  }
  const { bavail, bsize } = await statfs(path.dirname(data));
  const problem = diskProblem(bavail * bsize, path.dirname(data));
  if (problem !== undefined) throw new EmbeddedServiceError('disk', problem);
  const fresh = `${data}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  giveTo(fresh, user);
  const passwordFile = `${data}.initial-password`;
  writeFileSync(passwordFile, plan.password, { mode: 0o600 });
  giveTo(passwordFile, user);
  try {
    // The password has 256 random bits: stretching it would only slow down every connection.
    const { code, output } = await run(
      path.join(bin, 'initdb'),
      [
        '-D',
        fresh,
        '-U',
        'postgres',
        '-A',
        'scram-sha-256',
        `--pwfile=${passwordFile}`,
        '-c',
        'scram_iterations=1',
        '-E',
        'UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
        ...(plan.durable ? [] : ['--no-sync']),
      ],
      user,
    );
    if (code !== 0) {
      rmSync(fresh, { recursive: true, force: true });
      const full = diskFullProblem(output, path.dirname(data));
      if (full !== undefined) throw new EmbeddedServiceError('disk', full);
      throw new EmbeddedServiceError('failed', `The database could not be made in ${data}: ${lastLines(output)}`);
    }
    rmSync(data, { recursive: true, force: true });
    renameSync(fresh, data);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** The end of a server's output, in one line. */
export function lastLines(output: string): string {
  return output
    .trim()
    .split('\n')
    .slice(-4)
    .map((line) => line.trim())
    .join(' · ')
    .slice(-600);
}

/** What PostgreSQL's programs see of our environment: nothing, since it holds our keys. */
export const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC', HOME: '/', PATH: '/usr/bin:/bin' };

async function majorVersion(bin: string, user: ServerUser): Promise<string> {
  const { output } = await run(path.join(bin, 'postgres'), ['--version'], user);
  return /(\d+)/.exec(output)?.[1] ?? output.trim();
}

function giveTo(file: string, user: ServerUser): void {
  if (user.uid !== undefined && user.gid !== undefined) chownSync(file, user.uid, user.gid);
}

function run(program: string, args: readonly string[], user: ServerUser): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    let output = '';
    const child = spawn(program, args, {
      uid: user.uid,
      gid: user.gid,
      cwd: '/',
      env: serverEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', (error) => done({ code: -1, output: error.message }));
    child.once('close', (code) => done({ code: code ?? -1, output }));
  });
}
