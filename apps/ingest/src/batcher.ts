import { StorageUnavailable } from './storage-fault.js';

export interface BatchLimits {
  /** Statements under way at once; one or two are best where the store is near (docs: one collects while one commits). */
  readonly inFlight: number;
  readonly batchItems: number;
  readonly batchBytes: number;
  /** What may wait at most; beyond it the caller is told to come back. */
  readonly waitingItems: number;
  readonly waitingBytes: number;
  /** Longest from the start of a statement until those who wait for it are told that the store does not answer. */
  readonly deadlineMs: number;
}

export interface BatcherParts<T, R> {
  /** One statement for all items, all or nothing; results in the order of the items. */
  write(items: readonly T[]): Promise<readonly R[]>;
  /** Whether the fault may lie with an item, so that its batch-mates deserve another try without it. */
  mayBlameItem(error: unknown): boolean;
  bytesOf(item: T): number;
  observe?(items: number, ms: number): void;
}

/** A statement that takes longer than this waits for somebody: then the next goes beside it, however small. */
const SLOW_MS = 20;

interface Waiting<T, R> {
  readonly item: T;
  readonly bytes: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Natural batching: what waits at the same moment shares one statement. Nothing waits for a timer: the first goes at the end of the
 * current turn of the event loop, the next batch is whatever came while the last one was under way.
 */
export class Batcher<T, R> {
  #waiting: Waiting<T, R>[] = [];
  #waitingBytes = 0;
  #underWay = 0;
  #slow = 0;
  #late = 0;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(
    private readonly parts: BatcherParts<T, R>,
    private readonly limits: BatchLimits,
  ) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * @returns the item's result, once it is committed.
   * @throws StorageUnavailable when too many wait, or the store does not answer in time; else what `write` threw for this item alone.
   */
  add(item: T): Promise<R> {
    const bytes = this.parts.bytesOf(item);
    const full = this.#waiting.length >= this.limits.waitingItems || this.#waitingBytes + bytes > this.limits.waitingBytes;
    if (full) return Promise.reject(new StorageUnavailable('overloaded'));
    if (this.#late >= this.limits.inFlight) return Promise.reject(new StorageUnavailable('late'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, bytes, resolve, reject });
      this.#waitingBytes += bytes;
      this.#schedule();
    });
  }

  /** Resolves once nothing waits and nothing is under way. */
  async drain(): Promise<void> {
    if (this.#underWay > 0 || this.#waiting.length > 0)
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
  }

  /** Every request that this turn of the event loop still reads gets into the same batch. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayStart()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  /**
   * One goes at once. Another beside it only for a full batch, or while the first is slow: what a statement costs in itself is as much as
   * ten of its rows, so two that share what came are slower for everybody than one after the other.
   */
  #mayStart(): boolean {
    if (this.#waiting.length === 0 || this.#underWay >= this.limits.inFlight) return false;
    return this.#underWay === this.#slow || this.#waiting.length >= this.limits.batchItems;
  }

  #start(): void {
    if (!this.#mayStart()) return;
    let count = 0;
    for (let bytes = 0; count < this.#waiting.length && count < this.limits.batchItems; count += 1) {
      bytes += (this.#waiting[count] as Waiting<T, R>).bytes;
      if (count > 0 && bytes > this.limits.batchBytes) break;
    }
    const batch = this.#waiting.splice(0, count);
    for (const { bytes } of batch) this.#waitingBytes -= bytes;
    this.#underWay += 1;
    let late = false;
    let slow = false;
    const slowTimer = setTimeout(() => {
      slow = true;
      this.#slow += 1;
      this.#schedule();
    }, SLOW_MS);
    const timer = setTimeout(() => {
      late = true;
      this.#late += 1;
      this.#giveUp(batch);
    }, this.limits.deadlineMs);
    void this.#run(batch).then((settle) => {
      clearTimeout(timer);
      clearTimeout(slowTimer);
      if (slow) this.#slow -= 1;
      if (late) this.#late -= 1;
      this.#underWay -= 1;
      // The next one first: the store works while those who waited are answered, which takes about as long.
      this.#start();
      settle();
      if (this.#underWay === 0) for (const tell of this.#idle.splice(0)) tell();
    });
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Those behind a statement that does not return would wait as long again. What it may still commit is a duplicate when repeated. */
  #giveUp(batch: readonly Waiting<T, R>[]): void {
    for (const waiting of [...batch, ...this.#waiting.splice(0)]) waiting.reject(new StorageUnavailable('late'));
    this.#waitingBytes = 0;
  }

  /**
   * Never throws. Halves a batch that failed by one of its own, until that one stands alone.
   * @returns what tells everybody how it went.
   */
  async #run(batch: readonly Waiting<T, R>[]): Promise<() => void> {
    const started = performance.now();
    try {
      const results = await this.parts.write(batch.map(({ item }) => item));
      this.parts.observe?.(batch.length, performance.now() - started);
      return () => {
        batch.forEach(({ resolve }, at) => resolve(results[at] as R));
      };
    } catch (error) {
      if (batch.length === 1 || !this.parts.mayBlameItem(error)) {
        return () => {
          for (const { reject } of batch) reject(error);
        };
      }
      const middle = batch.length >> 1;
      const first = await this.#run(batch.slice(0, middle));
      const second = await this.#run(batch.slice(middle));
      return () => {
        first();
        second();
      };
    }
  }
}
