import { type Document, readDocument } from '../document-fields.js';
import { Drift } from '../drift.js';
import { type EnsuredSubscriptions, type ProviderHttp, type ProviderReply, ProviderUnreachable, type Subscriptions } from '../provider.js';
import { replyJson } from '../reply.js';
import { demandOurs, demandSuccess } from '../subscription-calls.js';
import { basicAuth } from './basic-auth.js';

/** What we are told of; Nightly Recharge has no event of its own. */
const events = ['EXERCISE', 'SLEEP', 'ACTIVITY_SUMMARY', 'CONTINUOUS_HEART_RATE', 'PHYSICAL_INFORMATION'] as const;

interface Held {
  readonly id: string;
  readonly url: string;
  readonly events: readonly unknown[];
  readonly active: boolean;
}

export const polarSubscriptions: Subscriptions = {
  per: 'app',

  /**
   * One webhook for each client. Its key is shown in the answer to its making and never again: where we do not have it, the webhook is
   * made anew. Polar switches one off after seven days of failures.
   */
  async ensure(http, { origins, client, callbackUrl, knowsWebhookSecret, onlyMend }): Promise<EnsuredSubscriptions> {
    const calls = new WebhookCalls(http, `${origins.api}/v3/webhooks`, basicAuth(client));
    const [held] = await calls.list();
    if (held !== undefined) demandOurs(held.url, callbackUrl, onlyMend);
    if (held !== undefined && knowsWebhookSecret === true) {
      const wrong = held.url !== callbackUrl || events.some((event) => !held.events.includes(event));
      if (wrong) await calls.change(held, callbackUrl);
      if (!held.active) await calls.activate();
      if (!held.active) return { created: 0, renewed: 1, present: 0, lapsed: 1 };
      return wrong ? { created: 0, renewed: 1, present: 0 } : { created: 0, renewed: 0, present: 1 };
    }
    if (held !== undefined) await calls.remove(held);
    const secret = await calls.create(callbackUrl);
    // Somebody made one a moment ago, and has its key.
    if (secret === undefined) return { created: 0, renewed: 0, present: 1 };
    return { created: 1, renewed: 0, present: 0, secret };
  },
};

class WebhookCalls {
  constructor(
    private readonly http: ProviderHttp,
    private readonly url: string,
    private readonly authorization: string,
  ) {}

  async list(): Promise<Held[]> {
    const reply = await this.#send('GET', '');
    if (reply.status === 204 || reply.status === 404) return [];
    demandSuccess(reply, 'list');
    const { data } = documentOf(reply, 'list');
    const rows: unknown[] = Array.isArray(data) ? data : data === undefined || data === null ? [] : [data];
    return rows.map((row) => {
      const { id, url, events: told, active } = row as Record<string, unknown>;
      return { id: String(id), url: String(url), events: Array.isArray(told) ? told : [], active: active !== false };
    });
  }

  /** @returns its key; undefined when there is one already. */
  async create(url: string): Promise<string | undefined> {
    let reply: ProviderReply;
    try {
      reply = await this.#send('POST', '', { events, url });
    } catch (error) {
      // It may have been made all the same, and its key went to nobody.
      if (error instanceof ProviderUnreachable) throw new ProviderUnreachable('subscription_key_lost', { cause: error });
      throw error;
    }
    if (reply.status === 409) return undefined;
    if (reply.status >= 500) throw new ProviderUnreachable('subscription_key_lost');
    demandSuccess(reply, 'create');
    const key = keyIn(reply);
    if (key === undefined) throw new ProviderUnreachable('subscription_key_lost');
    return key;
  }

  async change({ id }: Held, url: string): Promise<void> {
    demandSuccess(await this.#send('PATCH', `/${encodeURIComponent(id)}`, { events, url }), 'update');
  }

  async activate(): Promise<void> {
    demandSuccess(await this.#send('POST', '/activate'), 'activate');
  }

  async remove({ id }: Held): Promise<void> {
    const reply = await this.#send('DELETE', `/${encodeURIComponent(id)}`);
    if (reply.status !== 404) demandSuccess(reply, 'delete');
  }

  #send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<ProviderReply> {
    const headers = { authorization: this.authorization, accept: 'application/json' };
    if (body === undefined) return this.http.send({ method, url: this.url + path, headers });
    const json = { ...headers, 'content-type': 'application/json' };
    return this.http.send({ method, url: this.url + path, headers: json, body: JSON.stringify(body) });
  }
}

/** Undefined where an answer has none that can be read. */
function keyIn(reply: ProviderReply): string | undefined {
  try {
    const { data } = documentOf(reply, 'create');
    const key = typeof data === 'object' && data !== null && 'signature_secret_key' in data ? data.signature_secret_key : undefined;
    return typeof key === 'string' && key !== '' ? key : undefined;
  } catch (error) {
    if (error instanceof ProviderUnreachable) return undefined;
    throw error;
  }
}

function documentOf(reply: ProviderReply, what: string): Document {
  try {
    return readDocument(replyJson(reply), '');
  } catch (error) {
    if (error instanceof Drift || error instanceof ProviderUnreachable)
      throw new ProviderUnreachable(`subscription_${what}_malformed`, { cause: error });
    throw error;
  }
}
