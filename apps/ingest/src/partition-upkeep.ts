import type { Logger } from '@tributary/service-shell';
import type { KeptPartitions } from '@tributary/storage';
import { describeFault } from './storage-fault.js';

export interface PartitionUpkeepParts {
  keep(): Promise<KeptPartitions>;
  readonly log: Logger;
  readonly everyMs?: number;
  readonly againMs?: number;
}

/** The next partition is there nine days before it is needed, so an hour more or less does not matter. */
const EVERY_MS = 3_600_000;
/** After a failure, e.g. a lock that somebody held. */
const AGAIN_MS = 60_000;

/** Keeps the partitions of deliveries and notices: now, and every hour. A failure is told and tried again; deliveries do not wait for it. */
export function startPartitionUpkeep({ keep, log, everyMs = EVERY_MS, againMs = AGAIN_MS }: PartitionUpkeepParts): {
  stop(): Promise<void>;
} {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  const run = () => {
    round = keep()
      .then(
        ({ made, dropped, keptWaiting }) => {
          if (made > 0 || dropped > 0) log.info({ what: 'ingest.partitions', made, dropped });
          if (keptWaiting > 0) {
            log.warn(
              { what: 'ingest.partitions_kept', partitions: keptWaiting },
              'partitions that are old enough to go hold notices that no worker has filed; is a worker running?',
            );
          }
          return everyMs;
        },
        (error: unknown) => {
          log.warn({ what: 'ingest.partitions_failed', ...describeFault(error) });
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
