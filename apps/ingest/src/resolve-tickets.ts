import type { Scope } from '@tributary/domain';
import { resolveTicket } from '@tributary/handoffs';

const DRAIN_MS = 1_000;

export interface ResolveTicketsParts {
  /** Never throws; may hang for as long as the queue is away. */
  issue(keys: readonly string[]): Promise<void>;
  /** Between two rounds. The first ticket goes at once; under load one round of the queue serves many batches. */
  readonly gapMs: number;
}

/**
 * Tells the queue which environments have notices waiting, after their commit and beside the answer: one round under way at most, so
 * a queue that hangs holds no more than one key for each environment. What is lost is issued by the due-scan.
 */
export class ResolveTickets {
  readonly #owed = new Set<string>();
  #round: Promise<void> | undefined;

  constructor(private readonly parts: ResolveTicketsParts) {}

  owe(scope: Scope): void {
    this.#owed.add(resolveTicket(scope));
    this.#round ??= this.#rounds();
  }

  /** Nest's hook, called when the server has given its last answer and the queue is still open: what is owed goes out, within a second. */
  async onApplicationShutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      this.#round,
      new Promise((resolve) => {
        timer = setTimeout(resolve, DRAIN_MS);
      }),
    ]);
    clearTimeout(timer);
  }

  async #rounds(): Promise<void> {
    while (this.#owed.size > 0) {
      const keys = [...this.#owed].sort();
      this.#owed.clear();
      await this.parts.issue(keys);
      await new Promise((resolve) => {
        setTimeout(resolve, this.parts.gapMs);
      });
    }
    this.#round = undefined;
  }
}
