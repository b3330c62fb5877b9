import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { verify as verifyAnywhere } from '../../../packages/sdk/dist/index.js';
import { createVerifier } from '../../../packages/sdk/dist/node.js';
import { median } from '../median.mjs';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const sizes = { b512: 512, b4096: 4_096, b65536: 65_536 };

/** Rounds of all contenders in turn; ratios are of one round, then their median. */
export async function measureVerify({ rounds, milliseconds, say }) {
  const ratios = { vsStandardWebhooks: {}, vsSvix: {}, vsStripe: {} };
  const micros = {};
  for (const [name, bytes] of Object.entries(sizes)) {
    const contenders = contendersFor(bodyOf(bytes));
    for (const one of Object.values(contenders)) await warm(one, bytes);
    const samples = Object.fromEntries(Object.keys(contenders).map((who) => [who, []]));
    for (let round = 0; round < rounds; round += 1) {
      const turn = Object.entries(contenders);
      for (let step = 0; step < turn.length; step += 1) {
        const [who, one] = turn[(step + round) % turn.length];
        samples[who].push(await perSecond(one, milliseconds));
      }
    }
    const against = (who) => Number(median(samples.node.map((ours, round) => ours / samples[who][round])).toPrecision(4));
    ratios.vsStandardWebhooks[name] = against('standardwebhooks');
    ratios.vsSvix[name] = against('svix');
    ratios.vsStripe[name] = against('stripe');
    micros[name] = Object.fromEntries(Object.entries(samples).map(([who, all]) => [who, Number((1e6 / median(all)).toPrecision(4))]));
    say(
      `verify ${name}: ${Object.entries(micros[name])
        .map(([who, us]) => `${who} ${us} µs`)
        .join('  ')}`,
    );
  }
  return { ratios, micros };
}

/** An event of exactly so many bytes. */
function bodyOf(bytes) {
  const event = (message) =>
    JSON.stringify({ type: 'endpoint.test', timestamp: '2026-11-30T07:12:44.031Z', deliveryAttempt: 1, data: { message, revision: 7 } });
  return Buffer.from(event('x'.repeat(bytes - event('').length)));
}

function contendersFor(body) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const id = 'evt_01KBADX6V0T8V3V9Q2W4M5N6P7';
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  const stripeSignature = `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
  const verifier = createVerifier(secret);
  const [standard, svix] = [new StandardWebhook(secret), new SvixWebhook(secret)];
  const { webhooks } = new Stripe('sk_test_bench');
  return {
    node: () => verifier(body, headers),
    webCrypto: () => verifyAnywhere(body, headers, secret),
    standardwebhooks: () => standard.verify(body, headers),
    svix: () => svix.verify(body, headers),
    stripe: () => webhooks.constructEvent(body, stripeSignature, secret),
  };
}

/** Until its code is compiled for good, on a machine that gives us little time as well. */
async function warm(one, bytes) {
  for (let n = 0; n < Math.min(12_000, 40_000_000 / bytes); n += 1) await one();
}

/**
 * Per second of CPU, of all threads of the process: collecting the garbage counts, and what else the machine does at the moment does not.
 * @throws when what is verified is not the event
 */
async function perSecond(one, milliseconds) {
  if ((await one()).type !== 'endpoint.test') throw new Error('A contender did not verify the event.');
  const waits = one() instanceof Promise;
  const [begin, before] = [performance.now(), process.cpuUsage()];
  let done = 0;
  for (let now = begin; now - begin < milliseconds; now = performance.now()) {
    for (let n = 0; n < 20; n += 1) {
      if (waits) await one();
      else one();
    }
    done += 20;
  }
  const { user, system } = process.cpuUsage(before);
  return (done * 1e6) / (user + system);
}
