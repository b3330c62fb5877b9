import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

describe('slots', () => {
  it('let no more run than there are, in order, and go on after a failure', async () => {
    const slots = new Slots(2);
    const log: string[] = [];
    let running = 0;
    let most = 0;
    const work = (name: string, fails = false) =>
      slots.run(async () => {
        running += 1;
        most = Math.max(most, running);
        log.push(name);
        await new Promise((done) => setTimeout(done, 1));
        running -= 1;
        if (fails) throw new Error(name);
        return name;
      });
    const results = await Promise.allSettled([work('a'), work('b', true), work('c'), work('d'), work('e')]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect(log).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(most).toBe(2);
  });
});
