import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DueScan } from '@tributary/service-shell';
import { KeepRetention } from './keep-retention.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

/** What is past its days by an hour more does no harm; a backlog goes over several visits. */
const PAUSE_MS = [120_000, 240_000] as const;

/** Drops what environments keep no longer, a few times an hour. */
@Injectable()
export class RetentionTimer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #timer: DueScan;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    const keep = new KeepRetention(context);
    const { random, clock, log } = context;
    this.#timer = new DueScan({
      scan: async () => {
        await keep.visit();
      },
      random,
      clock,
      log,
      pauseMs: PAUSE_MS,
    });
  }

  onApplicationBootstrap(): void {
    this.#timer.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#timer.stop();
  }
}
