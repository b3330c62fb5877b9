import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const built = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'index.js');

/** A folder of its own that every user may walk through, so that a server which root starts as another user can reach it. */
export function makeWorkspace(owner?: { uid: number; gid: number }): { dir: string; remove(): void } {
  const dir = mkdtempSync(path.join(tmpdir(), 'tributary-embedded-test-'));
  chmodSync(dir, 0o711);
  if (owner) chownSync(dir, owner.uid, owner.gid);
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export interface OtherProcess {
  readonly child: ChildProcess;
  /** What the script printed first, as JSON. */
  readonly said: Record<string, unknown>;
}

/**
 * Runs `script` in a Node process of its own, with the built package as `embedded`; it must print one line of JSON with `say(…)`.
 * It then stays until it is killed, or its parent is.
 */
export async function inOtherProcess(script: string, user: { uid?: number; gid?: number } = {}): Promise<OtherProcess> {
  const code = `import * as embedded from ${JSON.stringify(pathToFileURL(built).href)};
    const say = (words) => console.log(JSON.stringify(words));
    const parent = process.ppid;
    setInterval(() => process.ppid === parent || process.exit(1), 200);
    process.once('SIGTERM', () => process.exit(0));
    try { ${script} } catch (error) { say({ code: error.code, message: error.message }); }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { ...user, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: JSON.parse(line.toString()) as Record<string, unknown> };
}

/** Ends it by exit(), so that what is tied to it ends too. */
export async function endGently(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** kill -9: nothing of the process runs any more, no handler either. */
export async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
