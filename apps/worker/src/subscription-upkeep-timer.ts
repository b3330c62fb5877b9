import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DueScan } from '@tributary/service-shell';
import { adoptUpkeep } from '@tributary/storage';
import { adoptableProviders, checkSubscriptions } from './subscription-upkeep.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

const PAUSE_MS = [5_000, 10_000] as const;
const ADOPT_EVERY_MS = 60_000;

/** Looks for due checks of subscriptions every few seconds, in each worker: which one does a check, the lease decides. */
@Injectable()
export class SubscriptionUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #dueScan: DueScan;
  #adoptAt = 0;

  constructor(@Inject(WORKER_CONTEXT) private readonly context: WorkerContext) {
    const { random, clock, log } = context;
    this.#dueScan = new DueScan({ scan: () => this.#scan(), random, clock, log, pauseMs: PAUSE_MS });
  }

  onApplicationBootstrap(): void {
    this.#dueScan.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#dueScan.stop();
  }

  async #scan(): Promise<void> {
    if (this.context.draining()) return;
    const now = this.context.clock();
    if (now >= this.#adoptAt) {
      this.#adoptAt = now + ADOPT_EVERY_MS;
      await adoptUpkeep(this.context.pool, adoptableProviders(this.context));
    }
    await checkSubscriptions(this.context);
  }
}
