import { createServer } from 'node:http';
import { memoryRecords, memoryStore } from '@tributary/sdk';
import { createReceiver, nodeHandler } from '@tributary/sdk/node';
import { keepIn } from './keep-steps.mjs';

const receiver = createReceiver({
  secrets: process.env.TRIBUTARY_WEBHOOK_SECRET ?? '',
  store: memoryStore(),
  handlers: { otherwise: keepIn(memoryRecords()) },
});

const handle = nodeHandler(receiver);
const server = createServer((request, response) => {
  if (request.url === '/webhooks/tributary') handle(request, response);
  else response.writeHead(404).end();
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log(`listening on ${server.address().port}`));

process.once('SIGTERM', async () => {
  await receiver.drain();
  server.close();
  server.closeAllConnections();
});
