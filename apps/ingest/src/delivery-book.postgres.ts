import type { KeyRing, Clock, Logger } from '@tributary/service-shell';
import {
  type Acceptance,
  type NewDelivery,
  type Sql,
  acceptDeliveries,
  activateApp,
  findAppByKey,
  markHandshaken,
  openBodyDeadLetter,
} from '@tributary/storage';
import type { DeliveryBook } from './accept-webhook.js';
import { AppDirectory } from './app-directory.js';
import { type BatchLimits, Batcher } from './batcher.js';
import { mayBlameItem, storageFault } from './storage-fault.js';

export interface PostgresBookParts {
  readonly sql: Sql;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: BatchLimits;
  readonly sandboxUrl: string | undefined;
  observeBatch(rows: number, ms: number): void;
}

/** The delivery book on Postgres: accepts share statements, the rest is rare and stands alone. */
export function openPostgresBook({
  sql,
  keys,
  clock,
  log,
  limits,
  sandboxUrl,
  observeBatch,
}: PostgresBookParts): DeliveryBook & { drain(): Promise<void>; waiting(): number } {
  const directory = new AppDirectory({
    find: (appKey) => findAppByKey(sql, appKey),
    open: (sealed, context) => keys.open(sealed, context),
    clock,
    sandboxUrl,
    onSealedSecret: (app, secretId) =>
      log.error(
        { what: 'ingest.secret_not_opened', tenant: app.tenantId, environment: app.environment, providerApp: app.id, secretId },
        'a secret of a provider app does not open with the keys in TRIBUTARY_KEYS; add the key that sealed it',
      ),
  });
  const batcher = new Batcher<NewDelivery, Acceptance>(
    {
      write: (deliveries) => acceptDeliveries(sql, deliveries),
      mayBlameItem,
      bytesOf: ({ rawBody, notices }) => notices.reduce((bytes, { carried }) => bytes + (carried?.length ?? 0), rawBody?.length ?? 0),
      observe: observeBatch,
    },
    limits,
  );
  return {
    findApp: (appKey) => translated(directory.find(appKey)),
    markHandshaken: (app) => translated(markHandshaken(sql, app, app.id)),
    activate: (app) => translated(activateApp(sql, app, app.id)),
    accept: (delivery) => translated(batcher.add(delivery)),
    noteUnreadable: async (delivery) => {
      const isNew = await translated(openBodyDeadLetter(sql, delivery));
      if (!isNew) return;
      const { tenantId, environment, provider, providerAppId, code, detail, deadLetterId } = delivery;
      log.warn({
        what: 'ingest.unreadable_delivery',
        tenant: tenantId,
        environment,
        provider,
        providerApp: providerAppId,
        code,
        detail,
        deadLetter: deadLetterId,
      });
    },
    drain: () => batcher.drain(),
    waiting: () => batcher.waiting,
  };
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storageFault(error);
  }
}
