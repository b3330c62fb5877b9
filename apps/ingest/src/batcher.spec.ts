import { describe, expect, it } from '@jest/globals';
import { type BatchLimits, Batcher } from './batcher.js';
import { StorageUnavailable, mayBlameItem } from './storage-fault.js';

const limits: BatchLimits = {
  inFlight: 1,
  batchItems: 100,
  batchBytes: 1_000,
  waitingItems: 1_000,
  waitingBytes: 10_000,
  deadlineMs: 1_000,
};
const refusal = (code: string) => Object.assign(new Error('refused'), { code });

/** A store that commits what it is given, unless it holds `poison`; `hold` keeps it from answering. */
function store(fault: (items: readonly string[]) => Error | undefined = () => undefined) {
  const batches: string[][] = [];
  let gate: Promise<void> = Promise.resolve();
  return {
    batches,
    hold() {
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
    async write(items: readonly string[]) {
      batches.push([...items]);
      await gate;
      const error = fault(items);
      if (error) throw error;
      return items.map((item) => `${item}!`);
    },
  };
}
const batcherOf = (to: Pick<ReturnType<typeof store>, 'write'>, change: Partial<BatchLimits> = {}) =>
  new Batcher<string, string>(
    { write: (items) => to.write(items), mayBlameItem, bytesOf: (item) => item.length },
    { ...limits, ...change },
  );
const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
const outcome = (work: Promise<string>) => work.catch((error: Error & { code?: string; why?: string }) => error.why ?? error.code);

describe('requests that wait at the same moment', () => {
  it('share one statement, and each gets its own result', async () => {
    const to = store();
    const batcher = batcherOf(to);
    expect(await Promise.all(['a', 'b', 'c'].map((item) => batcher.add(item)))).toEqual(['a!', 'b!', 'c!']);
    expect(to.batches).toEqual([['a', 'b', 'c']]);
  });

  it('collect while a statement is under way, and go together when it ends', async () => {
    const to = store();
    const open = to.hold();
    const batcher = batcherOf(to);
    const all = [batcher.add('a')];
    await turn();
    all.push(batcher.add('b'), batcher.add('c'));
    await turn();
    expect(to.batches).toEqual([['a']]);
    open();
    await Promise.all(all);
    expect(to.batches).toEqual([['a'], ['b', 'c']]);
  });

  it('go beside a statement that is under way only when they fill one', async () => {
    const to = store();
    const open = to.hold();
    const batcher = batcherOf(to, { inFlight: 2, batchItems: 3 });
    const all = [batcher.add('a')];
    await turn();
    all.push(batcher.add('b'), batcher.add('c'));
    await turn();
    expect(to.batches).toEqual([['a']]);
    all.push(batcher.add('d'));
    await turn();
    expect(to.batches).toEqual([['a'], ['b', 'c', 'd']]);
    open();
    await Promise.all(all);
  });

  it('are sent before those of the last statement are answered, so that the store does not wait for us', async () => {
    const events: string[] = [];
    const to = store((items) => void events.push(`written ${items.join()}, ${to.batches.length} sent`));
    const open = to.hold();
    const batcher = batcherOf(to);
    const answered = (item: string) => batcher.add(item).then(() => events.push(`answer ${item}, ${to.batches.length} sent`));
    const all = [answered('a')];
    await turn();
    all.push(answered('b'));
    open();
    await Promise.all(all);
    expect(events[0]).toBe('written a, 1 sent');
    expect(events).toContain('answer a, 2 sent');
  });

  it('go beside one that waits for somebody, however few they are', async () => {
    const to = store();
    const open = to.hold();
    const batcher = batcherOf(to, { inFlight: 2 });
    const all = ['a', 'b', 'c', 'd'].map((item) => batcher.add(item));
    await turn();
    all.push(batcher.add('e'));
    for (let tries = 0; tries < 100 && to.batches.length < 2; tries += 1)
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    expect(to.batches).toEqual([['a', 'b', 'c', 'd'], ['e']]);
    open();
    await Promise.all(all);
  });

  it('use as many statements at once as are allowed', async () => {
    const to = store();
    const open = to.hold();
    const batcher = batcherOf(to, { inFlight: 2, batchItems: 1 });
    const all: Promise<string>[] = [];
    for (const item of ['a', 'b', 'c', 'd']) {
      all.push(batcher.add(item));
      await turn();
    }
    expect(to.batches).toEqual([['a'], ['b']]);
    open();
    await Promise.all(all);
    expect(to.batches).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  it('are cut into batches by number and by bytes, and a giant goes alone', async () => {
    const few = store();
    const byNumber = batcherOf(few, { batchItems: 2 });
    await Promise.all(['a', 'b', 'c'].map((item) => byNumber.add(item)));
    expect(few.batches).toEqual([['a', 'b'], ['c']]);
    const light = store();
    const byBytes = batcherOf(light, { batchBytes: 100 });
    await Promise.all(['x'.repeat(60), 'y'.repeat(30), 'z'.repeat(500), 'w'].map((item) => byBytes.add(item)));
    expect(light.batches.map((batch) => batch.map((item) => item[0]))).toEqual([['x', 'y'], ['z'], ['w']]);
  });
});

describe('a failing statement', () => {
  it('fails only the item to blame; its batch-mates are stored', async () => {
    const to = store((items) => (items.includes('poison') ? refusal('22021') : undefined));
    const batcher = batcherOf(to);
    const items = ['a', 'b', 'poison', 'c', 'd', 'e', 'f'];
    expect(await Promise.all(items.map((item) => outcome(batcher.add(item))))).toEqual(['a!', 'b!', '22021', 'c!', 'd!', 'e!', 'f!']);
  });

  it('is tried again in parts when it met another transaction', async () => {
    let met = 0;
    const to = store(() => (met++ === 0 ? refusal('40P01') : undefined));
    const batcher = batcherOf(to);
    expect(await Promise.all(['a', 'b'].map((item) => outcome(batcher.add(item))))).toEqual(['a!', 'b!']);
  });

  it('fails all at once when the store is away, and asks it no more than once', async () => {
    const to = store(() => refusal('ECONNREFUSED'));
    const batcher = batcherOf(to);
    expect(await Promise.all(['a', 'b', 'c'].map((item) => outcome(batcher.add(item))))).toEqual([
      'ECONNREFUSED',
      'ECONNREFUSED',
      'ECONNREFUSED',
    ]);
    expect(to.batches.length).toBe(1);
  });

  it('does not stop what comes later', async () => {
    let away = true;
    const to = store(() => (away ? refusal('57P01') : undefined));
    const batcher = batcherOf(to);
    expect(await outcome(batcher.add('a'))).toBe('57P01');
    away = false;
    expect(await outcome(batcher.add('b'))).toBe('b!');
  });
});

describe('too much work', () => {
  it('is refused at once, by number and by bytes, and taken again when there is room', async () => {
    const to = store();
    const open = to.hold();
    const batcher = batcherOf(to, { waitingItems: 2, waitingBytes: 10 });
    const first = batcher.add('a');
    await turn();
    const second = [batcher.add('b'), batcher.add('c')];
    expect(await outcome(batcher.add('d'))).toBe('overloaded');
    open();
    await Promise.all([first, ...second]);
    expect(await outcome(batcher.add('e'.repeat(11)))).toBe('overloaded');
    expect(await outcome(batcher.add('e'))).toBe('e!');
  });

  it('that waits behind a store which does not answer is told so in time, and so is what comes after', async () => {
    const to = store();
    const open = to.hold();
    const batcher = batcherOf(to, { deadlineMs: 30 });
    const first = outcome(batcher.add('a'));
    await turn();
    const second = outcome(batcher.add('b'));
    expect(await Promise.all([first, second])).toEqual(['late', 'late']);
    await expect(batcher.add('c')).rejects.toBeInstanceOf(StorageUnavailable);
    expect(to.batches).toEqual([['a']]);
    open();
    await batcher.drain();
    expect(await outcome(batcher.add('d'))).toBe('d!');
  });

  it('is finished before a drain ends', async () => {
    const to = store();
    const batcher = batcherOf(to);
    const ended: string[] = [];
    const all = ['a', 'b'].map((item) => batcher.add(item).then((result) => ended.push(result)));
    await batcher.drain();
    await Promise.all(all);
    expect(ended).toEqual(['a!', 'b!']);
    await batcher.drain();
  });
});
