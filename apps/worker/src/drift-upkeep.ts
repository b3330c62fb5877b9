import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DueScan } from '@tributary/service-shell';
import { repullDrift } from '@tributary/storage';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

/** Letters of one look; more come with the next. */
const SLICE = 1_000;
const PAUSE_MS = [20_000, 40_000] as const;

/**
 * Windows that an older adapter did not understand are read again by a newer one: a letter remembers the `normalizerVersion` that gave up
 * on it. While old and new workers run side by side a letter may go to and fro, once in a pause, until the old ones are gone.
 * @returns how many windows were opened again
 */
export async function repullOldDrift({ pool, providers, log }: Pick<WorkerContext, 'pool' | 'providers' | 'log'>): Promise<number> {
  const adapters = [...providers.values()].map(({ id, normalizerVersion }) => ({
    provider: id,
    normalizerVersion: normalizerVersion ?? 1,
  }));
  const opened = await repullDrift(pool, adapters, SLICE);
  const letters = opened.reduce((all, environment) => all + environment.letters, 0);
  if (letters > 0) log.info({ what: 'drift.read_again', letters, environments: opened.length });
  return letters;
}

/** Does that by itself, beginning soon after a start. */
@Injectable()
export class DriftUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #timer: DueScan;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    const { random, clock, log } = context;
    const scan = async () => {
      if (!context.draining()) await repullOldDrift(context);
    };
    this.#timer = new DueScan({ scan, random, clock, log, pauseMs: PAUSE_MS });
  }

  onApplicationBootstrap(): void {
    this.#timer.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#timer.stop();
  }
}
