import { createNodeRedisClient, type QueueOptions, setDefaultBackendFactory } from 'bullmq';
import { createClient } from 'redis';
import { createPatientPostgresBackend } from './patient-postgres-backend.js';

export interface TicketBackendConfig {
  /** Set: BullMQ on Redis. Undefined: BullMQ on the PostgreSQL of `databaseUrl`, in schema `bullmq`. */
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  /** Told of lost connections; the clients reconnect by themselves. */
  readonly onError: (error: Error) => void;
  /** The process does its work without tickets and only issues them (ingest): an absent Redis does not keep it from starting. */
  readonly mayBeAway?: boolean;
}

export interface TicketBackend {
  readonly kind: 'redis' | 'postgres';
  /** For `BullModule.forRoot`, `new Queue` and `new Worker`. */
  readonly options: Pick<QueueOptions, 'connection' | 'prefix'>;
  /** The client of node-redis itself, for counters that processes share; undefined on PostgreSQL. */
  readonly redis: object | undefined;
  close(): Promise<void>;
}

/** All keys in one hash slot, so that a Redis Cluster keeps a queue's scripts on one node. */
const PREFIX = '{tributary}';

/** A Redis that has not answered by then is not there; a person who just mistyped REDIS_URL should not wait longer to hear of it. */
const FIRST_ANSWER_MS = 5_000;

/** REDIS_URL was set and nothing answers there. */
export class QueueUnreachable extends Error {
  override readonly name = 'QueueUnreachable';
  constructor(options?: ErrorOptions) {
    super(
      `nothing answers at REDIS_URL after ${FIRST_ANSWER_MS / 1000} s. Start Redis, correct the address, or unset REDIS_URL to queue on PostgreSQL.`,
      options,
    );
  }
}

/** The one place that decides where tickets live. Call it before any queue or worker is made. */
export async function openTicketBackend({
  redisUrl,
  databaseUrl,
  onError,
  mayBeAway = false,
}: TicketBackendConfig): Promise<TicketBackend> {
  if (redisUrl === undefined) {
    setDefaultBackendFactory(createPatientPostgresBackend);
    const connection = { connectionString: databaseUrl, max: 4, skipMigrations: true, application_name: 'tributary-tickets' };
    return { kind: 'postgres', options: { connection, prefix: PREFIX }, redis: undefined, async close() {} };
  }
  setDefaultBackendFactory();
  const client = createClient({ url: redisUrl, socket: { reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1_000) } });
  // Until it is known to be there, the one message below says more than a line for each try.
  let told = mayBeAway;
  client.on('ready', () => {
    told = true;
  });
  client.on('error', (error: Error) => {
    if (told) onError(error);
  });
  // Tries again until it is there; what is awaited here is only the first answer.
  const connecting = client.connect().then(
    () => true,
    () => false,
  );
  if (!(await answeredWithin(connecting, FIRST_ANSWER_MS)) && !mayBeAway) {
    client.destroy();
    throw new QueueUnreachable();
  }
  return {
    kind: 'redis',
    options: { connection: createNodeRedisClient(client), prefix: PREFIX },
    redis: client,
    async close() {
      if (client.isReady) await client.close();
      else if (client.isOpen) client.destroy();
    },
  };
}

async function answeredWithin(connecting: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([connecting, late]).finally(() => clearTimeout(timer));
}
