import { describe, expect, it } from '@jest/globals';
import { OwedTickets } from './owed-tickets.js';

const scope = (tenantId: string) => `${tenantId}/test`;
const pause = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

describe('tickets for the worker', () => {
  it('go out at once, and once for many commits while a round is under way', async () => {
    const rounds: (readonly string[])[] = [];
    const tickets = new OwedTickets({
      issue: async (keys) => {
        rounds.push(keys);
      },
      gapMs: 5,
    });
    tickets.owe(scope('a'));
    expect(rounds).toEqual([['a/test']]);
    for (let n = 0; n < 50; n += 1) tickets.owe(scope(n % 2 ? 'a' : 'b'));
    await tickets.onApplicationShutdown();
    expect(rounds).toEqual([['a/test'], ['a/test', 'b/test']]);
    tickets.owe(scope('c'));
    expect(rounds.at(-1)).toEqual(['c/test']);
    await tickets.onApplicationShutdown();
  });

  it('wait out a long gap, but not when the process ends', async () => {
    const rounds: (readonly string[])[] = [];
    const tickets = new OwedTickets({
      issue: async (keys) => {
        rounds.push(keys);
      },
      gapMs: 60_000,
    });
    for (const key of ['a', 'b', 'c']) tickets.owe(key);
    await pause(20);
    expect(rounds).toEqual([['a']]);
    await tickets.onApplicationShutdown();
    expect(rounds).toEqual([['a'], ['b', 'c']]);
  });

  it('pile up no higher than the number of environments while the queue hangs, and none is forgotten', async () => {
    const rounds: (readonly string[])[] = [];
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const tickets = new OwedTickets({
      issue: async (keys) => {
        rounds.push(keys);
        await gate;
      },
      gapMs: 0,
    });
    for (let n = 0; n < 10_000; n += 1) tickets.owe(scope(`t${n % 3}`));
    await pause(10);
    expect(rounds).toEqual([['t0/test']]);
    open();
    await tickets.onApplicationShutdown();
    expect(rounds).toEqual([['t0/test'], ['t0/test', 't1/test', 't2/test']]);
  });
});
