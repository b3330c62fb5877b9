import { type FetchOutcome, type HealthRecord, type Window, addDays } from '@tributary/domain';
import { type FetchContext, type ProviderReply, ProviderUnreachable } from '../provider.js';
import { type OuraCollection, isOuraCollection, ouraCollections } from './collections.js';
import { Drift, readDay, readList, toRecords } from './to-records.js';

/** Pages of one window that we follow; far more than a month of days has. */
const MAX_PAGES = 100;

/** A pause when Oura asks for one and does not say how long, and the longest that we believe. */
const PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 * A `days` window is asked for with a day more on each side, since whether `end_date` is inside differs between collections, and cut
 * by each document's own `day` afterwards.
 */
export async function fetchOuraRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isOuraCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  try {
    if (window.kind === 'object') return await readObject(collection, window.id, context);
    if (window.kind === 'days') return await readDays(collection, window, context);
    return { is: 'drift', detail: 'windows of instants are not known' };
  } catch (error) {
    if (error instanceof ProviderUnreachable) return { is: 'transient', code: error.code };
    if (error instanceof Drift) return { is: 'drift', detail: error.message };
    throw error;
  }
}

async function readObject(collection: OuraCollection, id: string, context: FetchContext): Promise<FetchOutcome> {
  const reply = await send(`${collection}/${encodeURIComponent(id)}`, context);
  if (reply.status === 404) return { is: 'gone' };
  const refused = refusal(reply, collection, context.now);
  if (refused) return refused;
  return { is: 'records', complete: true, records: toRecords(collection, readJson(reply), '', context.now) };
}

async function readDays(
  collection: OuraCollection,
  window: { readonly from: string; readonly to: string },
  context: FetchContext,
): Promise<FetchOutcome> {
  const records: HealthRecord[] = [];
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({ start_date: addDays(window.from, -1), end_date: window.to });
    if (token !== undefined) query.set('next_token', token);
    const reply = await send(`${collection}?${query}`, context);
    const refused = refusal(reply, collection, context.now);
    if (refused) return refused;
    const list = readList(readJson(reply));
    for (const [index, document] of list.data.entries()) {
      const at = `data[${index}].`;
      const day = readDay(document, at);
      if (day >= window.from && day < window.to) records.push(...toRecords(collection, document, at, context.now));
    }
    if (list.nextToken === undefined) return { is: 'records', complete: true, records };
    token = list.nextToken;
  }
  return { is: 'records', complete: false, records };
}

function send(path: string, { http, origins, accessToken }: FetchContext): Promise<ProviderReply> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
  return http.send({ method: 'GET', url: `${origins.api}/v2/usercollection/${path}`, headers });
}

function refusal(reply: ProviderReply, collection: OuraCollection, now: number): FetchOutcome | undefined {
  const { status } = reply;
  if (status === 200) return undefined;
  if (status === 401) return { is: 'unauthorised' };
  if (status === 403) return { is: 'forbidden', scope: ouraCollections[collection].scope };
  if (status === 429) return { is: 'rate-limited', retryAt: retryAt(reply.headers, now) };
  if (status === 408 || status >= 500) return { is: 'transient', code: `http_${status}` };
  return { is: 'drift', detail: `status ${status}` };
}

/** `Retry-After` in seconds or as a date, else `X-RateLimit-Reset` in seconds from now or since the epoch. */
export function retryAt(headers: ProviderReply['headers'], now: number): number {
  const after = headers['retry-after']?.trim();
  const reset = headers['x-ratelimit-reset']?.trim();
  let at = now + PAUSE_MS;
  if (after !== undefined && /^\d+$/.test(after)) at = now + Number(after) * 1000;
  else if (after !== undefined && !Number.isNaN(Date.parse(after))) at = Date.parse(after);
  else if (reset !== undefined && /^\d+$/.test(reset))
    at = Number(reset) > 1_000_000_000 ? Number(reset) * 1000 : now + Number(reset) * 1000;
  return Math.min(Math.max(at, now + 1_000), now + LONGEST_PAUSE_MS);
}

function readJson(reply: ProviderReply): unknown {
  try {
    return JSON.parse(reply.body.toString('utf8'));
  } catch {
    throw new Drift('body is no JSON');
  }
}
