import { Hono } from 'hono';
import { createReceiver, fetchHandler, memoryRecords, memoryStore } from '@tributary/sdk';
import { keepIn } from './keep-steps.mjs';

const receiver = createReceiver({
  secrets: () => process.env.TRIBUTARY_WEBHOOK_SECRET ?? '',
  store: memoryStore(),
  handlers: { otherwise: keepIn(memoryRecords()) },
});
const handle = fetchHandler(receiver);

const app = new Hono();
app.post('/webhooks/tributary', (context) => handle(context.req.raw));

// What Workers, Deno and Bun serve.
export default app;
