import type { ProviderHttp, Subscriptions } from '../provider.js';
import { demandSuccess, listedRows } from '../subscription-calls.js';
import { ouraCollections } from './collections.js';

/** One subscription for each pair of these and our collections. */
const eventTypes = ['create', 'update', 'delete'] as const;

/** They live for about 90 days; a fortnight leaves many tries. */
const RENEW_BEFORE_MS = 14 * 86_400_000;

interface Held {
  readonly id: string;
  readonly callbackUrl: string;
  readonly pair: string;
  /** Epoch milliseconds; undefined when Oura gave none that can be read. */
  readonly expiresAt: number | undefined;
}

export const ouraSubscriptions: Subscriptions = {
  async ensure(http, { origins, client, callbackUrl, verificationToken, now }) {
    const url = `${origins.api}/v2/webhook/subscription`;
    const headers = { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret };
    const held = new Map((await list(http, url, headers)).map((one) => [one.pair, one]));
    const count = { created: 0, renewed: 0, present: 0 };
    for (const dataType of Object.keys(ouraCollections)) {
      for (const eventType of eventTypes) {
        const one = held.get(`${eventType} ${dataType}`);
        const wish = JSON.stringify({
          callback_url: callbackUrl,
          verification_token: verificationToken,
          event_type: eventType,
          data_type: dataType,
        });
        const json = { ...headers, 'content-type': 'application/json' };
        if (one === undefined) {
          const reply = await http.send({ method: 'POST', url, headers: json, body: wish });
          // 409: someone made the same one a moment ago; that is what was wanted.
          if (reply.status === 409) count.present += 1;
          else {
            demandSuccess(reply, 'create');
            count.created += 1;
          }
        } else if (one.callbackUrl !== callbackUrl) {
          // There can be only one for a pair, so it is led to its new address and not made anew.
          demandSuccess(
            await http.send({ method: 'PUT', url: `${url}/${encodeURIComponent(one.id)}`, headers: json, body: wish }),
            'update',
          );
          count.renewed += 1;
        } else if (one.expiresAt !== undefined && one.expiresAt - now < RENEW_BEFORE_MS) {
          demandSuccess(await http.send({ method: 'PUT', url: `${url}/renew/${encodeURIComponent(one.id)}`, headers }), 'renew');
          count.renewed += 1;
        } else {
          count.present += 1;
        }
      }
    }
    return count;
  },
};

async function list(http: ProviderHttp, url: string, headers: Record<string, string>): Promise<Held[]> {
  const reply = await http.send({ method: 'GET', url, headers });
  return listedRows(reply).map((row) => ({
    id: String(row['id']),
    callbackUrl: String(row['callback_url']),
    pair: `${String(row['event_type'])} ${String(row['data_type'])}`,
    expiresAt: readUtc(row['expiration_time']),
  }));
}

/** Oura writes expiration times without a zone and means UTC. */
function readUtc(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
