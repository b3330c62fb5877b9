// The ceiling: the same bytes, signed with native HMAC and posted with undici, and nothing else. No database, no queue, no guard.
import { createHmac, randomBytes } from 'node:crypto';
import { Agent } from 'undici';
import { BODY_BYTES } from './world.mjs';

const { origin, inFlight } = JSON.parse(process.argv[2]);
const key = randomBytes(32);
const agent = new Agent({ pipelining: 1, connections: inFlight });
const body = Buffer.from(`{"note":"${'a'.repeat(BODY_BYTES - 11)}"}`);
let sent = 0;

async function post() {
  sent += 1;
  const id = `evt_${sent}`;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'bench',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  };
  const response = await agent.request({ origin, path: '/bare', method: 'POST', headers, body });
  await response.body.dump();
}

async function run(count) {
  const started = performance.now();
  let left = count;
  const sender = async () => {
    while (left-- > 0) await post();
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
  return { perSecond: (count / (performance.now() - started)) * 1_000 };
}

process.on('message', (message) => {
  if (message.do === 'stop') process.exit(0);
  run(message.count).then(
    (sample) => process.send({ sample }),
    (error) => process.send({ error: error.stack }),
  );
});
process.send({ ready: true });
