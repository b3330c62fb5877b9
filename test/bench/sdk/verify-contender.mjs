// One contender in a process of its own, so that nobody's garbage or compiled code is another's: takes { bytes, milliseconds } by message,
// answers verifications per second of CPU.
import { createHmac } from 'node:crypto';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const id = 'evt_01KBADX6V0T8V3V9Q2W4M5N6P7';

const contenders = {
  async node() {
    const { createVerifier } = await import('../../../packages/sdk/dist/node.js');
    const verifier = createVerifier(secret);
    return ({ body, headers }) => verifier(body, headers);
  },
  async webCrypto() {
    const { verify } = await import('../../../packages/sdk/dist/index.js');
    return ({ body, headers }) => verify(body, headers, secret);
  },
  async standardwebhooks() {
    const { Webhook } = await import('standardwebhooks');
    const webhook = new Webhook(secret);
    return ({ body, headers }) => webhook.verify(body, headers);
  },
  async svix() {
    const { Webhook } = await import('svix');
    const webhook = new Webhook(secret);
    return ({ body, headers }) => webhook.verify(body, headers);
  },
  async stripe() {
    const { default: Stripe } = await import('stripe');
    const { webhooks } = new Stripe('sk_test_bench');
    return ({ body, stripeSignature }) => webhooks.constructEvent(body, stripeSignature, secret);
  },
};

/** An event of exactly so many bytes, signed in both ways. */
function requestOf(bytes) {
  const event = (message) =>
    JSON.stringify({ type: 'endpoint.test', timestamp: '2026-11-30T07:12:44.031Z', deliveryAttempt: 1, data: { message, revision: 7 } });
  const body = Buffer.from(event('x'.repeat(bytes - event('').length)));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const stripe = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return {
    body,
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
    stripeSignature: `t=${timestamp},v1=${stripe}`,
  };
}

const one = await contenders[process.argv[2]]();
const warmed = new Set();

/**
 * Of all threads of the process: collecting the garbage counts, and what else the machine does at the moment does not.
 * @throws when what is verified is not the event
 */
async function perSecond({ bytes, milliseconds }) {
  const request = requestOf(bytes);
  const first = one(request);
  if ((await first).type !== 'endpoint.test') throw new Error('The event was not verified.');
  const run = async (calls) => {
    for (let n = 0; n < calls; n += 1) {
      if (first instanceof Promise) await one(request);
      else one(request);
    }
  };
  if (!warmed.has(bytes)) await run(Math.min(12_000, Math.ceil(40_000_000 / bytes)));
  warmed.add(bytes);
  // Between two turns the collector gives memory back and the caches of the machine forget us: that is made up for, and not counted.
  for (const until = performance.now() + milliseconds / 2; performance.now() < until; ) await run(20);
  const [begin, before] = [performance.now(), process.cpuUsage()];
  let done = 0;
  for (; performance.now() - begin < milliseconds; done += 20) await run(20);
  const { user, system } = process.cpuUsage(before);
  return (done * 1e6) / (user + system);
}

process.on('message', (wish) => {
  perSecond(wish).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.stack }),
  );
});
