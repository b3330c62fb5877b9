import { type FetchOutcome, type HealthRecord, type Window, addDays } from '@tributary/domain';
import { Drift, outcomeOf } from '../drift.js';
import type { FetchContext, ProviderReply } from '../provider.js';
import { refusalOf, replyJson, retryAtOf } from '../reply.js';
import { type OuraCollection, isOuraCollection, ouraCollections } from './collections.js';
import { readDay, readList, toRecords } from './to-records.js';

/** Pages of one window that we follow; far more than a month of days has. */
const MAX_PAGES = 100;

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 * A `days` window is asked for with a day more on each side, since whether `end_date` is inside differs between collections, and cut
 * by each document's own `day` afterwards.
 */
export async function fetchOuraRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isOuraCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  return outcomeOf(() => {
    if (window.kind === 'object') return readObject(collection, window.id, context);
    if (window.kind === 'days') return readDays(collection, window, context);
    throw new Drift('windows of instants are not known');
  });
}

async function readObject(collection: OuraCollection, id: string, context: FetchContext): Promise<FetchOutcome> {
  const reply = await send(`${collection}/${encodeURIComponent(id)}`, context);
  if (reply.status === 404) return { is: 'gone' };
  const refused = refusal(reply, collection, context.now);
  if (refused) return refused;
  return { is: 'records', complete: true, records: toRecords(collection, replyJson(reply), '', context.now) };
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
    const list = readList(replyJson(reply));
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
  return refusalOf(reply, ouraCollections[collection].scope, () => retryAtOf(reply.headers, now));
}
