// app/webhooks/tributary/route.js
import { createReceiver, fetchHandler, memoryRecords, memoryStore } from '@tributary/sdk';
import { keepIn } from '../keep-steps.mjs';

const receiver = createReceiver({
  secrets: () => process.env.TRIBUTARY_WEBHOOK_SECRET ?? '',
  store: memoryStore(),
  handlers: { otherwise: keepIn(memoryRecords()) },
});

export const POST = fetchHandler(receiver);
