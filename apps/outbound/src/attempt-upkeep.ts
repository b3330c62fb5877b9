import type { Clock, Logger } from '@tributary/service-shell';
import type { KeptAttemptPartitions } from '@tributary/storage';

export interface AttemptUpkeepParts {
  /** @param now epoch milliseconds. */
  keep(now: number): Promise<KeptAttemptPartitions>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly everyMs?: number;
  readonly againMs?: number;
}

/** The next partition is there three days before it is needed, so an hour more or less does not matter. */
const EVERY_MS = 3_600_000;
/** After a failure, e.g. a lock that somebody held. */
const AGAIN_MS = 60_000;

/** Keeps the partitions of attempts: now, and every hour. A failure is told and tried again; deliveries do not wait for it. */
export function startAttemptUpkeep({ keep, clock, log, everyMs = EVERY_MS, againMs = AGAIN_MS }: AttemptUpkeepParts): {
  stop(): Promise<void>;
} {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  const run = () => {
    round = keep(clock())
      .then(
        ({ made, dropped }) => {
          if (made > 0 || dropped > 0) log.info({ what: 'attempts.partitions', made, dropped });
          return everyMs;
        },
        (error: unknown) => {
          log.warn({ what: 'attempts.partitions_failed', err: error });
          return againMs;
        },
      )
      .then((pause) => {
        if (!stopped) timer = setTimeout(run, pause).unref();
      });
  };
  run();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
