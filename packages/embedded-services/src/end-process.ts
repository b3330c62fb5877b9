import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './process-facts.js';

/** Sends the signals one after the other, each with its patience, until the process is gone. @returns whether it is. */
export async function endProcess(pid: number, steps: readonly { signal: NodeJS.Signals; waitMs: number }[]): Promise<boolean> {
  for (const { signal, waitMs } of steps) {
    if (!isAlive(pid)) return true;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPERM') return false;
    }
    for (let waited = 0; waited < waitMs; waited += 20) {
      if (!isAlive(pid)) return true;
      await sleep(20);
    }
  }
  return !isAlive(pid);
}
