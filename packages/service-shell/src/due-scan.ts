import type { Clock } from './clock.js';
import type { Logger } from './log.js';

export interface DueScanOptions {
  /** One scan: finds who has work due and issues their tickets. */
  readonly scan: () => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Shortest and longest pause before a scan; 250 and 500 unless said. */
  readonly pauseMs?: readonly [shortest: number, longest: number];
}

const PAUSE_MS = [250, 500] as const;
const COMPLAIN_EVERY_MS = 10_000;

/**
 * Scans every 250 to 500 ms, unless told otherwise, until it is stopped, whatever happens: this is what makes a queue that lost everything whole again, so it
 * never gives up. The pause is drawn anew each time, so that processes do not fall into step.
 */
export class DueScan {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #complainedAt = -Infinity;

  constructor(private readonly options: DueScanOptions) {}

  start(): void {
    if (this.#stopped) return;
    const [shortest, longest] = this.options.pauseMs ?? PAUSE_MS;
    const pauseMs = shortest + (longest - shortest) * this.options.random();
    this.#timer = setTimeout(() => {
      this.#running = this.#once().finally(() => this.start());
    }, pauseMs);
  }

  /** Ends when a scan that runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** One line a while, however often a scan or what it began fails. */
  complain(error: unknown): void {
    const { clock, log } = this.options;
    const now = clock();
    if (now - this.#complainedAt < COMPLAIN_EVERY_MS) return;
    this.#complainedAt = now;
    log.warn({ what: 'due_scan.failed', err: error });
  }

  async #once(): Promise<void> {
    try {
      await this.options.scan();
    } catch (error) {
      this.complain(error);
    }
  }
}
