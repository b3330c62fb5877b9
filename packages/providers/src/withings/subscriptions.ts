import { Drift } from '../drift.js';
import { type EnsuredSubscriptions, type ProviderHttp, ProviderUnreachable, type Subscriptions } from '../provider.js';
import { ACCOUNT_APPLI, collectionsByAppli } from './collections.js';
import { type WithingsAnswer, authFailed, notAllowed, postAction, readAnswer } from './call.js';

export const withingsSubscriptions: Subscriptions = {
  per: 'person',

  /** There is nothing to ask for an app: each person's notifications are asked for with that person's token. */
  ensure: () => Promise.resolve({ created: 0, renewed: 0, present: 0 }),

  /** One subscription for each category. They do not lapse by themselves, but Withings may drop one whose address failed for long. */
  async ensureForPerson(http, { origins, accessToken, callbackUrl }): Promise<EnsuredSubscriptions> {
    const url = `${origins.api}/notify`;
    const listed = await ask(http, { url, action: 'list', accessToken });
    if (listed.status !== 0) throw refused(listed, 'list');
    const profiles = Array.isArray(listed.body['profiles']) ? (listed.body['profiles'] as Record<string, unknown>[]) : [];
    const held = new Set(profiles.filter((one) => one['callbackurl'] === callbackUrl).map((one) => String(one['appli'])));
    const count = { created: 0, renewed: 0, present: 0 };
    for (const appli of [...collectionsByAppli.keys(), ACCOUNT_APPLI]) {
      if (held.has(appli)) {
        count.present += 1;
        continue;
      }
      const made = await ask(http, { url, action: 'subscribe', fields: { callbackurl: callbackUrl, appli }, accessToken });
      if (made.status === 0) count.created += 1;
      // The person did not grant the scope of this category; the others are to be had all the same.
      else if (!notAllowed.has(made.status)) throw refused(made, 'create');
    }
    return count;
  },
};

async function ask(http: ProviderHttp, call: Parameters<typeof postAction>[1]): Promise<WithingsAnswer> {
  const reply = await postAction(http, call);
  if (reply.status !== 200) throw new ProviderUnreachable(`http_${reply.status}`);
  try {
    return readAnswer(reply);
  } catch (error) {
    if (error instanceof Drift) throw new ProviderUnreachable('subscription_reply_malformed', { cause: error });
    throw error;
  }
}

function refused({ status }: WithingsAnswer, what: string): ProviderUnreachable {
  return new ProviderUnreachable(authFailed.has(status) ? 'http_401' : `subscription_${what}_status_${status}`);
}
