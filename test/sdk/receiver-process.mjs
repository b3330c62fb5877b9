// One process of a customer's receiver, on the built package: RECEIVER_MODE says how it keeps claims and values.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient } from 'redis';
import { createReceiver, nodeHandler } from '../../packages/sdk/dist/node.js';
import { postgresRecords, postgresStore, postgresTransactions } from '../../packages/sdk/dist/postgres.js';
import { redisRecords, redisStore } from '../../packages/sdk/dist/redis.js';

const { RECEIVER_MODE: mode, RECEIVER_SECRET: secrets, RECEIVER_REDIS_URL: redisUrl, RECEIVER_PREFIX: prefix } = process.env;
const pool = new pg.Pool({ connectionString: process.env.RECEIVER_DATABASE_URL, max: 12 });
pool.on('error', () => undefined);
const redis = mode === 'redis' ? await createClient({ url: redisUrl }).connect() : undefined;

/** Short, so that what a killed process held is soon another's. */
const leaseSeconds = 1;
const store = {
  transaction: () => postgresTransactions(pool),
  lease: () => postgresStore(pool),
  redis: () => redisStore(redis, { prefix: `${prefix}claim:` }),
}[mode]();

const receiver = createReceiver({
  secrets,
  store,
  leaseSeconds,
  // The sender of the test gives no timestamps of its own choosing, and may take long on a slow machine.
  toleranceSeconds: 86_400,
  onProblem: () => undefined,
  handlers: {
    async otherwise(event, { transaction }) {
      const client = transaction ?? pool;
      const records = redis ? redisRecords(redis, { prefix: `${prefix}person:` }) : postgresRecords(client);
      await client.query('insert into effect (webhook_id) values ($1)', [event.id]);
      await records.applyIfNewer(event);
      // Where a process may die: all is written, and nothing is completed.
      await sleep(3);
    },
  },
});

const server = createServer(nodeHandler(receiver));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
