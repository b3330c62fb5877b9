import { type Database, type RecordOwner } from '@tributary/storage';
import { type Applied, type ReadToApply, applyWindows } from './apply-window.js';

export interface ApplyLimits {
  /** Transactions under way at once, of all environments: each holds a connection to the database. */
  readonly transactions: number;
  /** What one transaction may hold. */
  readonly reads: number;
  readonly rows: number;
}

interface Waiting {
  readonly read: ReadToApply;
  resolve(applied: Applied): void;
  reject(error: unknown): void;
}

/**
 * Of one environment: one transaction writes, another may read and decide beside it; but only a big one, since what a transaction costs in
 * itself is as much as a hundred of its rows.
 */
const SIDE_BY_SIDE = 2;

interface Line {
  readonly waiting: Waiting[];
  underWay: number;
}

/**
 * Finished reads of one environment that wait at the same moment share one transaction. They would stand in a line anyway, for its revision
 * counter; and a commit costs as much for thirty windows as for one. Nothing waits for a timer. One that fails does not fail the others.
 */
export class ApplyQueue {
  readonly #lines = new Map<string, Line>();
  #underWay = 0;
  #scheduled = false;

  constructor(
    private readonly pool: Database['pool'],
    private readonly limits: ApplyLimits,
  ) {}

  /** @returns once it is committed. Throws what the transaction threw for this read alone. */
  add(read: ReadToApply): Promise<Applied> {
    const name = `${read.window.tenantId}/${read.window.environment}`;
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(name) ?? { waiting: [], underWay: 0 };
      line.waiting.push({ read, resolve, reject });
      this.#lines.set(name, line);
      this.#schedule();
    });
  }

  /** What this turn of the event loop still brings gets into the same batch. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    for (const [name, line] of this.#lines) {
      if (this.#underWay >= this.limits.transactions) return;
      if (this.#mayStart(line)) {
        // To the back, so that a busy environment does not keep the others waiting.
        this.#lines.delete(name);
        this.#lines.set(name, line);
        void this.#write(name, line, takeBatch(line.waiting, this.limits));
      }
    }
  }

  #mayStart({ waiting, underWay }: Line): boolean {
    if (underWay === 0) return waiting.length > 0;
    return underWay < SIDE_BY_SIDE && waiting.length >= this.limits.reads / 2;
  }

  async #write(name: string, line: Line, batch: readonly Waiting[]): Promise<void> {
    line.underWay += 1;
    this.#underWay += 1;
    const settle = await this.#run(batch);
    line.underWay -= 1;
    this.#underWay -= 1;
    if (line.underWay === 0 && line.waiting.length === 0) this.#lines.delete(name);
    // The next batch first: the database works while those who waited are answered.
    this.#start();
    settle();
  }

  /** Never throws. Halves a batch that failed, until the one to blame stands alone. @returns what tells everybody how it went. */
  async #run(batch: readonly Waiting[]): Promise<() => void> {
    try {
      const applied = await applyWindows(
        this.pool,
        batch.map(({ read }) => read),
      );
      return () => {
        batch.forEach(({ resolve }, at) => resolve(applied[at] as Applied));
      };
    } catch (error) {
      if (batch.length === 1 || !mayBlameRead(error)) {
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

/** Takes from the front what may share a transaction; what shows a row that another one shows waits for the next. */
function takeBatch(waiting: Waiting[], limits: ApplyLimits): Waiting[] {
  const batch: Waiting[] = [];
  const rows = new Set<string>();
  const people = new Map<string, 'some' | 'all'>();
  let weight = 0;
  for (let at = 0; at < waiting.length && batch.length < limits.reads; ) {
    const next = waiting[at] as Waiting;
    const { seen } = next.read;
    const cost = seen.rows.reduce((sum, { row }) => sum + (row.table === 'series_day' ? 1 + row.samples.values.length / 50 : 1), 1);
    if (batch.length > 0 && weight + cost > limits.rows) break;
    const person = personOf(seen.read.owner);
    const names = seen.rows.map(({ name }) => `${person} ${name}`);
    // Which rows a document is, is not known before they are looked up.
    const all = seen.gone.length > 0 || seen.absent !== undefined || seen.rekeyed !== undefined;
    const held = people.get(person);
    const meets = held !== undefined && (all || held === 'all' || names.some((name) => rows.has(name)));
    // What came later of the same person stays behind it.
    if (held === undefined || held !== 'all') people.set(person, all || meets ? 'all' : 'some');
    if (meets) at += 1;
    else {
      for (const name of names) rows.add(name);
      weight += cost;
      batch.push(...waiting.splice(at, 1));
    }
  }
  return batch;
}

function personOf({ userId, provider }: RecordOwner): string {
  return `${userId} ${provider}`;
}

/** A fault of ours, of the data (22, 23, 54) or of another transaction (40, 55P03). When the database is away, nobody is tried again. */
function mayBlameRead(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code !== 'string' || /^(22|23|40|54)...$|^55P03$/.test(code);
}
