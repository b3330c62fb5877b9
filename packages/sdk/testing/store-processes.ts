import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Claim, type ClaimStore } from '../src/claim-store.js';

const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'store-process.mjs');

interface StoreProcess {
  readonly store: ClaimStore;
  /** As a crash ends it: at once, and without a word. */
  kill(): Promise<void>;
}

/** A claim store that lives in a process of its own. Its package must be built. */
async function startStoreProcess(args: readonly string[]): Promise<StoreProcess> {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let asked = 0;
  const ready = new Promise<unknown>((resolve, reject) => waiting.set(0, { resolve, reject }));
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const { n, result, error } = JSON.parse(line) as { n: number; result: unknown; error?: string };
    const waiter = waiting.get(n);
    waiting.delete(n);
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new Error(error));
  });
  const gone = new Promise<void>((resolve) =>
    child.once('exit', () => {
      for (const { reject } of waiting.values()) reject(new Error('The process of the store is gone.'));
      resolve();
    }),
  );
  const ask = (method: string, ...given: readonly unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      const n = ++asked;
      waiting.set(n, { resolve: resolve as (result: unknown) => void, reject });
      child.stdin?.write(`${JSON.stringify({ n, method, args: given })}\n`);
    });
  await ready;
  return {
    store: {
      claim: (...given) => ask('claim', ...given),
      extend: (...given) => ask('extend', ...given),
      complete: (...given) => ask('complete', ...given),
      release: (...given) => ask('release', ...given),
      purge: (...given) => ask('purge', ...given),
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const rounds = 100;

/** The part of the suite that needs processes of the operating system: a race, and the death of one. */
export function provesClaimStoreAcrossProcesses(name: string, args: () => readonly string[]): void {
  describe(`${name}, across processes`, () => {
    const running: StoreProcess[] = [];
    const start = async (): Promise<StoreProcess> => {
      const one = await startStoreProcess(args());
      running.push(one);
      return one;
    };
    afterEach(async () => {
      for (const one of running.splice(0)) await one.kill();
    });

    it('gives each event to one of three processes that ask at the same moment', async () => {
      const [a, b, c] = [await start(), await start(), await start()];
      const keys = Array.from({ length: rounds }, (_, n) => ({ endpoint: 'race', id: `evt_race_${n}` }));
      const outcomes = await Promise.all(
        keys.map(async (key) => {
          const claims = await Promise.all([a, b, c, b, a, c].map(({ store }) => store.claim(key, 60)));
          return claims.map(({ is }) => is).sort();
        }),
      );
      expect(outcomes).toEqual(keys.map(() => ['claimed', ...Array<string>(5).fill('in-progress')]));
    });

    it('lets another process take over what one died on between claim and completion, and remembers that it is done', async () => {
      const [dying, heir] = [await start(), await start()];
      const key = { endpoint: 'crash', id: 'evt_crash' };
      expect(await dying.store.claim(key, 0.5)).toMatchObject({ is: 'claimed', takenOver: false });
      await dying.kill();
      let claim: Claim = await heir.store.claim(key, 60);
      while (claim.is === 'in-progress') {
        await new Promise((resolve) => setTimeout(resolve, 50));
        claim = await heir.store.claim(key, 60);
      }
      expect(claim).toMatchObject({ is: 'claimed', takenOver: true });
      expect(await heir.store.complete(key, (claim as { token: string }).token)).toBe(true);
      const later = await start();
      expect(await later.store.claim(key, 60)).toEqual({ is: 'done' });
    });
  });
}
