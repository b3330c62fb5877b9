import Fastify from 'fastify';
import { createClient } from 'redis';
import { memoryRecords, memoryStore } from '@tributary/sdk';
import { fastifyReceiver } from '@tributary/sdk/fastify';
import { createReceiver } from '@tributary/sdk/node';
import { redisRecords, redisStore } from '@tributary/sdk/redis';
import { keepIn } from './keep-steps.mjs';

const redis = process.env.REDIS_URL ? createClient({ url: process.env.REDIS_URL }) : undefined;
// Or a connection that breaks ends the process.
redis?.on('error', (error) => console.error('Redis:', error.message));
await redis?.connect();
const receiver = createReceiver({
  secrets: process.env.TRIBUTARY_WEBHOOK_SECRET ?? '',
  store: redis ? redisStore(redis) : memoryStore(),
  handlers: { otherwise: keepIn(redis ? redisRecords(redis) : memoryRecords()) },
});

const app = Fastify();
app.register(fastifyReceiver(receiver, { path: '/webhooks/tributary' }));
// Routes outside the plugin go on getting parsed bodies.
app.post('/orders', async (request) => ({ got: request.body }));
app.addHook('onClose', () => receiver.drain());

await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(`listening on ${app.server.address().port}`);
