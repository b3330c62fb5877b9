import { createNodeRedisClient, createPostgresBackend, type QueueOptions, setDefaultBackendFactory } from 'bullmq';
import { createClient } from 'redis';

export interface TicketBackendConfig {
  /** Set: BullMQ on Redis. Undefined: BullMQ on the PostgreSQL of `databaseUrl`, in schema `bullmq`. */
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  /** Told of lost connections; the clients reconnect by themselves. */
  readonly onError: (error: Error) => void;
}

export interface TicketBackend {
  readonly kind: 'redis' | 'postgres';
  /** For `BullModule.forRoot`, `new Queue` and `new Worker`. */
  readonly options: Pick<QueueOptions, 'connection' | 'prefix'>;
  close(): Promise<void>;
}

/** All keys in one hash slot, so that a Redis Cluster keeps a queue's scripts on one node. */
const PREFIX = '{tributary}';

/** The one place that decides where tickets live. Call it before any queue or worker is made. */
export async function openTicketBackend({ redisUrl, databaseUrl, onError }: TicketBackendConfig): Promise<TicketBackend> {
  if (redisUrl === undefined) {
    setDefaultBackendFactory(createPostgresBackend);
    const connection = { connectionString: databaseUrl, max: 4, skipMigrations: true, application_name: 'tributary-tickets' };
    return { kind: 'postgres', options: { connection, prefix: PREFIX }, async close() {} };
  }
  setDefaultBackendFactory();
  const client = createClient({ url: redisUrl, socket: { reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1_000) } });
  client.on('error', onError);
  await client.connect();
  return {
    kind: 'redis',
    options: { connection: createNodeRedisClient(client), prefix: PREFIX },
    async close() {
      if (client.isOpen) await client.close();
    },
  };
}
