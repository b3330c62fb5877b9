import { ConfigError, newId } from '@tributary/service-shell';
import { z } from 'zod';
import type { Command } from './command.js';
import { forwardEvent } from './forward-event.js';
import { reachApi, reachUsage } from './reach-api.js';
import { readOptions } from './read-options.js';
import { signingSecret } from './signing-secret.js';
import { targetUrl } from './target-url.js';

const usage = `Usage: tributary send-test --endpoint ID
       tributary send-test --to URL --secret SECRET

Sends an endpoint.test event. To an endpoint: through the API, with the endpoint's own secrets, as any event. To an address: from here, signed
with the secret given; no API is needed, so a receiver can be tried before anything else runs.

  --endpoint ID     an enabled endpoint
  --to URL          an address, such as http://localhost:3000/webhooks
  --secret SECRET   whsec_…, with --to

${reachUsage}`;

export const sendTest: Command = {
  name: 'send-test',
  summary: 'send an endpoint.test event to an endpoint or an address',
  usage,
  async run(args, env) {
    const text = { type: 'string' } as const;
    const wish = readOptions(args, { endpoint: text, to: text, secret: text }, usage);
    if ((wish.endpoint === undefined) === (wish.to === undefined)) throw new ConfigError(`Give either --endpoint or --to.\n\n${usage}`);
    if (wish.endpoint === undefined) return sendTo(targetUrl('to', wish.to), wish.secret);
    const path = `/v1/endpoints/${encodeURIComponent(wish.endpoint)}/test`;
    const { eventId } = z.object({ eventId: z.string() }).parse(await reachApi(env).call('POST', path));
    console.log(`${eventId} is on its way; GET /v1/events/${eventId}/attempts shows what became of it.`);
  },
};

async function sendTo(url: string, secret: string | undefined): Promise<void> {
  if (secret === undefined) throw new ConfigError('--secret: give the whsec_ secret that the receiver knows');
  const { key } = signingSecret(secret);
  const now = Date.now();
  const data = { message: 'This is a test. Nothing has changed.', revision: 0 };
  const event = { id: newId('evt'), type: 'endpoint.test', occurredAt: new Date(now).toISOString(), data };
  const { status, fault, tookMs } = await forwardEvent(event, { url, key, now, attempt: 1 });
  const taken = status !== undefined && status >= 200 && status < 300;
  console.log(
    `${event.id}: ${status ?? fault} after ${Math.round(tookMs)} ms${taken ? '' : '. A receiver should answer 2xx within 10 s.'}`,
  );
  if (!taken) process.exitCode = 1;
}
