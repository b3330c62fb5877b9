import { type ClientCredentials, type ProviderHttp, type ProviderReply, ProviderUnreachable, type Subscriptions } from '../provider.js';
import { demandOurs, demandSuccess, listedRows } from '../subscription-calls.js';
import { announcedCollections } from './collections.js';

/** One subscription for each pair of these and what can be announced. */
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
  per: 'app',

  async ensure(http, { origins, client, callbackUrl, verificationToken, onlyMend, now }) {
    const calls = new SubscriptionCalls(http, `${origins.api}/v2/webhook/subscription`, client);
    const held = new Map((await calls.list()).map((one) => [one.pair, one]));
    const count = { created: 0, renewed: 0, present: 0 };
    const ends: number[] = [];
    let lapsed = 0;
    let refusal: ProviderUnreachable | undefined;
    for (const dataType of announcedCollections) {
      for (const eventType of eventTypes) {
        const one = held.get(`${eventType} ${dataType}`);
        const wish = { callback_url: callbackUrl, verification_token: verificationToken, event_type: eventType, data_type: dataType };
        if (one?.expiresAt !== undefined && one.expiresAt <= now) lapsed += 1;
        try {
          if (one !== undefined) demandOurs(one.callbackUrl, callbackUrl, onlyMend);
          const { did, expiresAt } = await calls.keep(one, wish, now);
          count[did] += 1;
          if (expiresAt !== undefined) ends.push(expiresAt);
        } catch (error) {
          // One that is refused is no reason to let the others run out; where nobody answers, nobody will a moment later.
          if (!(error instanceof ProviderUnreachable && error.code.startsWith('subscription_'))) throw error;
          refusal ??= error;
        }
      }
    }
    if (refusal !== undefined) throw refusal;
    return { ...count, ...(lapsed > 0 && { lapsed }), ...(ends.length > 0 && { expiresAt: Math.min(...ends) }) };
  },
};

interface Wish {
  readonly callback_url: string;
  readonly verification_token: string;
  readonly event_type: string;
  readonly data_type: string;
}

interface Kept {
  readonly did: 'created' | 'renewed' | 'present';
  readonly expiresAt: number | undefined;
}

class SubscriptionCalls {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly http: ProviderHttp,
    private readonly url: string,
    client: ClientCredentials,
  ) {
    this.#headers = { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret };
  }

  async list(): Promise<Held[]> {
    const reply = await this.http.send({ method: 'GET', url: this.url, headers: this.#headers });
    return listedRows(reply).map((row) => ({
      id: String(row['id']),
      callbackUrl: String(row['callback_url']),
      pair: `${String(row['event_type'])} ${String(row['data_type'])}`,
      expiresAt: readUtc(row['expiration_time']),
    }));
  }

  async keep(one: Held | undefined, wish: Wish, now: number): Promise<Kept> {
    if (one === undefined) return this.#create(wish);
    if (one.callbackUrl !== wish.callback_url) {
      // There can be only one for a pair, so it is led to its new address and not made anew.
      const reply = await this.#send('PUT', `/${encodeURIComponent(one.id)}`, wish);
      demandSuccess(reply, 'update');
      return { did: 'renewed', expiresAt: expiryIn(reply) ?? one.expiresAt };
    }
    if (one.expiresAt === undefined || one.expiresAt - now >= RENEW_BEFORE_MS) return { did: 'present', expiresAt: one.expiresAt };
    const reply = await this.#send('PUT', `/renew/${encodeURIComponent(one.id)}`);
    // 403, 404: it ended before it was renewed, and there is nothing left to renew.
    if (reply.status === 403 || reply.status === 404) return this.#create(wish);
    demandSuccess(reply, 'renew');
    return { did: 'renewed', expiresAt: expiryIn(reply) };
  }

  async #create(wish: Wish): Promise<Kept> {
    const reply = await this.#send('POST', '', wish);
    // 409: someone made the same one a moment ago; that is what was wanted.
    if (reply.status === 409) return { did: 'present', expiresAt: undefined };
    demandSuccess(reply, 'create');
    return { did: 'created', expiresAt: expiryIn(reply) };
  }

  #send(method: 'POST' | 'PUT', path: string, wish?: Wish): Promise<ProviderReply> {
    const url = this.url + path;
    if (wish === undefined) return this.http.send({ method, url, headers: this.#headers });
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    return this.http.send({ method, url, headers, body: JSON.stringify(wish) });
  }
}

/** What an answer says of the end; undefined when it says nothing that can be read, and then the next list does. */
function expiryIn({ body }: ProviderReply): number | undefined {
  try {
    const said: unknown = JSON.parse(body.toString('utf8'));
    return typeof said === 'object' && said !== null && 'expiration_time' in said ? readUtc(said.expiration_time) : undefined;
  } catch {
    return undefined;
  }
}

/** Oura writes expiration times without a zone and means UTC. */
function readUtc(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
