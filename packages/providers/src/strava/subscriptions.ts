import type { ProviderHttp, Subscriptions } from '../provider.js';
import { demandOurs, demandSuccess, listedRows } from '../subscription-calls.js';

interface Held {
  readonly id: string;
  readonly callbackUrl: string;
}

/** One for the whole app, which tells of every athlete. It does not lapse, and cannot be led elsewhere: it is ended and made anew. */
export const stravaSubscriptions: Subscriptions = {
  per: 'app',

  async ensure(http, { origins, client, callbackUrl, verificationToken, onlyMend }) {
    const url = `${origins.api}/api/v3/push_subscriptions`;
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    const held = await list(http, `${url}?${new URLSearchParams(credentials)}`);
    if (held.some((one) => one.callbackUrl === callbackUrl)) return { created: 0, renewed: 0, present: 1 };
    for (const one of held) demandOurs(one.callbackUrl, callbackUrl, onlyMend);
    for (const { id } of held) {
      const reply = await http.send({ method: 'DELETE', url: `${url}/${encodeURIComponent(id)}?${new URLSearchParams(credentials)}` });
      // 404: someone else ended it a moment ago.
      if (reply.status !== 404) demandSuccess(reply, 'delete');
    }
    const reply = await http.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ ...credentials, callback_url: callbackUrl, verify_token: verificationToken }).toString(),
    });
    demandSuccess(reply, 'create');
    return held.length > 0 ? { created: 0, renewed: 1, present: 0 } : { created: 1, renewed: 0, present: 0 };
  },
};

async function list(http: ProviderHttp, url: string): Promise<Held[]> {
  const reply = await http.send({ method: 'GET', url, headers: { accept: 'application/json' } });
  return listedRows(reply).map((row) => ({ id: String(row['id']), callbackUrl: String(row['callback_url']) }));
}
