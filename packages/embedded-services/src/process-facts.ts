import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** A zombie counts as gone: in a container without a reaping init it stays for seconds, and `kill(pid, 0)` says that it lives. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const stat = procStat(pid);
  return stat === undefined || stat[0] !== 'Z';
}

/** The arguments of a running process; empty when there is no such process. */
export function commandLine(pid: number): string[] {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    } catch {
      return [];
    }
  }
  const told = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return (told.stdout ?? '').trim().split(' ').filter(Boolean);
}

/** Tells one process from a later one that was given the same pid. Undefined where the system does not say. */
export function bornAt(pid: number): string | undefined {
  const stat = procStat(pid);
  if (stat !== undefined) return stat[19]; // field 22 of the file: ticks since boot
  const told = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return told.stdout?.trim() || undefined;
}

/** The folder a process works in; undefined where the system does not say. */
export function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** Fields of /proc/PID/stat from the third (state) on: the second is a name that may hold spaces and brackets. */
function procStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
