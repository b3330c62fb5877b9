import { type EnsuredSubscriptions, type ProviderHttp, type ProviderReply, ProviderUnreachable, type Subscriptions } from '../provider.js';
import { replyObject } from '../reply.js';
import { contentHash } from '../signature/content-id.js';
import { demandSuccess, leadsToApp } from '../subscription-calls.js';
import { toldCollection } from './collections.js';
import { accountToken, readServiceAccount } from './service-account.js';

/** What Google tells of, by its list of types with webhooks; the others that we read are swept. */
const typesWithWebhooks = [
  'active-minutes',
  'active-zone-minutes',
  'altitude',
  'blood-glucose',
  'body-fat',
  'daily-heart-rate-variability',
  'daily-oxygen-saturation',
  'daily-respiratory-rate',
  'daily-resting-heart-rate',
  'daily-sleep-temperature-derivations',
  'distance',
  'exercise',
  'floors',
  'heart-rate',
  'heart-rate-variability',
  'height',
  'hydration-log',
  'respiratory-rate-sleep-summary',
  'run-vo2-max',
  'sedentary-period',
  'sleep',
  'steps',
  'total-calories',
  'weight',
] as const;

const wanted: readonly string[] = typesWithWebhooks.filter((type) => toldCollection(type) !== undefined);

const PAGES = 20;

interface Held {
  readonly name: string;
  readonly endpointUri: string;
  readonly isActive: boolean;
  /** Told of for everybody who consents. */
  readonly types: ReadonlySet<unknown>;
}

/**
 * One subscriber of the Cloud project, with the policy `AUTOMATIC`: it tells of everybody who consents. It does not lapse, and Google
 * switches it off when its address fails; then it has to be proved again. A project may have others, which are nobody's business here.
 */
export const googleSubscriptions: Subscriptions = {
  per: 'app',
  needs: 'service_account',

  async ensure(http, { origins, client, callbackUrl, serviceAccount, webhookSecret, onlyMend, now }): Promise<EnsuredSubscriptions> {
    const account = readServiceAccount(serviceAccount ?? '');
    if (account === undefined) throw new ProviderUnreachable('subscription_no_service_account');
    // Google wants it with its scheme, and has it come back to the letter.
    if (webhookSecret === undefined || !/^(Bearer|Basic) \S/.test(webhookSecret))
      throw new ProviderUnreachable('subscription_no_webhook_secret');
    // An OAuth client's id begins with the number of its project; names of projects are refused here and there.
    const project = /^(\d+)-/.exec(client.clientId)?.[1];
    if (project === undefined) throw new ProviderUnreachable('subscription_project_unknown');
    const token = await accountToken(http, account, origins, now);
    const calls = new SubscriberCalls(http, `${origins.api}/v4`, { project, token });
    const held = (await calls.list()).find(({ endpointUri }) => leadsToApp(endpointUri, callbackUrl));
    const wish = { endpointUri: callbackUrl, secret: webhookSecret };
    if (held === undefined) {
      await calls.create(wish);
      return { created: 1, renewed: 0, present: 0 };
    }
    const isRight = held.isActive && held.endpointUri === callbackUrl && wanted.every((type) => held.types.has(type));
    // Its secret is shown to nobody: who asks for it gets the newest one set, and then it is proved anew.
    if (isRight && onlyMend === true) return { created: 0, renewed: 0, present: 1 };
    await calls.change(held, wish);
    return { created: 0, renewed: 1, present: 0, ...(!held.isActive && { lapsed: 1 }) };
  },
};

interface Wish {
  readonly endpointUri: string;
  readonly secret: string;
}

class SubscriberCalls {
  readonly #path: string;

  constructor(
    private readonly http: ProviderHttp,
    private readonly base: string,
    private readonly by: { readonly project: string; readonly token: string },
  ) {
    this.#path = `/projects/${by.project}/subscribers`;
  }

  async list(): Promise<Held[]> {
    const held: Held[] = [];
    let pageToken: unknown = '';
    for (let page = 0; page < PAGES && typeof pageToken === 'string'; page += 1) {
      const query = new URLSearchParams({ pageSize: '100', ...(pageToken !== '' && { pageToken }) });
      const reply = await this.#send('GET', `${this.#path}?${query}`);
      demandSuccess(reply, 'list');
      const said = replyObject(reply);
      if (said === undefined) throw new ProviderUnreachable('subscription_list_malformed');
      if (Array.isArray(said['subscribers'])) held.push(...said['subscribers'].map(readHeld));
      pageToken = said['nextPageToken'] || undefined;
    }
    return held;
  }

  /** Under a name of its own, so that two at the same moment do not make two. */
  async create(wish: Wish): Promise<void> {
    const id = `tributary-${contentHash(wish.endpointUri).slice(0, 16)}`;
    const reply = await this.#send('POST', `${this.#path}?subscriberId=${id}`, bodyOf(wish));
    if (reply.status === 409) return;
    demandSuccess(reply, 'create');
    demandDone(reply, 'create');
  }

  async change({ name }: Held, wish: Wish): Promise<void> {
    const mask = 'endpoint_uri,subscriber_configs,endpoint_authorization';
    const reply = await this.#send('PATCH', `/${name}?updateMask=${encodeURIComponent(mask)}`, bodyOf(wish));
    demandSuccess(reply, 'update');
    demandDone(reply, 'update');
  }

  #send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<ProviderReply> {
    const headers = { authorization: `Bearer ${this.by.token}`, accept: 'application/json' };
    if (body === undefined) return this.http.send({ method, url: this.base + path, headers });
    return this.http.send({
      method,
      url: this.base + path,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
}

function bodyOf({ endpointUri, secret }: Wish): object {
  return {
    endpointUri,
    subscriberConfigs: [{ dataTypes: wanted, subscriptionCreatePolicy: 'AUTOMATIC' }],
    endpointAuthorization: { secret },
  };
}

/** The answer is an operation. One that goes on is looked at again in a moment; one that has ended says whether our address was proved. */
function demandDone(reply: ProviderReply, what: string): void {
  const { done, error } = replyObject(reply) ?? {};
  if (done !== true) throw new ProviderUnreachable(`subscription_${what}_pending`);
  if (typeof error !== 'object' || error === null) return;
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 'unknown';
  throw new ProviderUnreachable(`subscription_${what}_status_${code}`);
}

function readHeld(row: unknown): Held {
  const { name, endpointUri, state, subscriberConfigs } = (row ?? {}) as Record<string, unknown>;
  const configs = Array.isArray(subscriberConfigs) ? (subscriberConfigs as Record<string, unknown>[]) : [];
  const types = configs.flatMap(({ dataTypes, subscriptionCreatePolicy: policy }) =>
    policy === 'AUTOMATIC' && Array.isArray(dataTypes) ? (dataTypes as unknown[]) : [],
  );
  // `name` becomes part of an address, so it has to be of the documented form.
  if (typeof name !== 'string' || !/^projects\/[^/?#]+\/subscribers\/[^/?#]+$/.test(name))
    throw new ProviderUnreachable('subscription_list_malformed');
  return { name, endpointUri: String(endpointUri), isActive: state === 'ACTIVE', types: new Set(types) };
}
