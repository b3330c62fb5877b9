const DRAIN_MS = 1_000;

export interface OwedTicketsParts {
  /** Never throws; may hang for as long as the queue is away. */
  issue(keys: readonly string[]): Promise<void>;
  /** Between two rounds. The first ticket goes at once; under load one round of the queue serves many batches. */
  readonly gapMs: number;
}

/**
 * Tells a queue who has work, after the commit and beside the answer: one round under way at most, so a queue that hangs holds no more
 * than each key once. What is lost is issued by the due-scan, or owed anew by the next delivery.
 */
export class OwedTickets {
  readonly #owed = new Set<string>();
  #round: Promise<void> | undefined;
  #rest: { end(): void } | undefined;
  #ending = false;

  constructor(private readonly parts: OwedTicketsParts) {}

  owe(key: string): void {
    this.#owed.add(key);
    this.#round ??= this.#rounds();
  }

  /** Nest's hook, called when the server has given its last answer and the queue is still open: what is owed goes out, within a second. */
  async onApplicationShutdown(): Promise<void> {
    this.#ending = true;
    this.#rest?.end();
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      this.#round,
      new Promise((resolve) => {
        timer = setTimeout(resolve, DRAIN_MS);
      }),
    ]);
    clearTimeout(timer);
    this.#ending = false;
  }

  async #rounds(): Promise<void> {
    while (this.#owed.size > 0) {
      const keys = [...this.#owed].sort();
      this.#owed.clear();
      await this.parts.issue(keys);
      if (!this.#ending) await this.#gap();
    }
    this.#round = undefined;
  }

  #gap(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#rest = undefined;
        resolve();
      };
      const timer = setTimeout(end, this.parts.gapMs);
      this.#rest = { end };
    });
  }
}
