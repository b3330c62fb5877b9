import { readDocument } from '../document-fields.js';
import { Drift, EndOfRead } from '../drift.js';
import type { FetchContext, ProviderReply } from '../provider.js';
import { refusalOf, replyJson, retryAtOf } from '../reply.js';
import { requestTarget } from './callback-url.js';
import { type GarminCollection, garminCollections } from './collections.js';
import type { Summary } from './newest.js';

/** Addresses of one window that are called; of more, the newest. */
const MAX_CALLBACKS = 50;

/** How Garmin refuses a read that has not the key of a ping. */
const NO_PULL_TOKEN = /pull.?token/i;
const withoutPullToken = { is: 'drift', detail: 'status 400: read without a pull token' } as const;

/** Nothing that the person could grant: data comes by push then, or by a ping that is read in time. */
export function wantsPullToken(error: unknown): boolean {
  return error instanceof EndOfRead && error.outcome === withoutPullToken;
}

/** What the addresses of a window showed. */
export interface Called {
  readonly summaries: readonly Summary[];
  readonly complete: boolean;
}

/**
 * What Garmin shows at the addresses that it gave, in the order in which they were told. Each is called letter by letter as it came, at the
 * provider's own origin.
 * @param each every address has something of its own to show; else they are repeats, and the newest that shows something does.
 * @returns undefined when there are none, or none is honoured any more (their keys live for a day): then a read by upload times may do.
 * @throws EndOfRead when the person's grant or Garmin itself refuses.
 */
export async function calledBack(
  collection: GarminCollection,
  { each }: { readonly each: boolean },
  context: FetchContext,
): Promise<Called | undefined> {
  const targets = new Map<string, string>();
  for (const { url, subjectId } of [...(context.callbacks ?? [])].reverse()) {
    const target = requestTarget(url);
    if (target !== undefined && !targets.has(target)) targets.set(target, subjectId);
  }
  const shown: Summary[][] = [];
  for (const [target, subjectId] of [...targets].slice(0, MAX_CALLBACKS)) {
    const reply = await get(context, context.origins.api + target);
    if (isSpent(reply)) continue;
    const summaries = summariesOf(collection, reply, context.now);
    // The address came unsigned, and its key may be somebody else's: what it shows must be of whom it was told.
    if (summaries.some(([summary]) => summary['userId'] !== subjectId)) continue;
    shown.push(summaries);
    if (!each && summaries.length > 0) break;
  }
  if (shown.length === 0) return undefined;
  return { summaries: shown.reverse().flat(), complete: !each || shown.length === targets.size };
}

/** @param span upload times in seconds since 1970, `to` exclusive. @throws EndOfRead when it is refused: half a window is never taken for one. */
export async function uploadedIn(
  collection: GarminCollection,
  { from, to }: { readonly from: number; readonly to: number },
  context: FetchContext,
): Promise<Summary[]> {
  const query = new URLSearchParams({ uploadStartTimeInSeconds: String(from), uploadEndTimeInSeconds: String(to) });
  const reply = await get(context, `${context.origins.api}/wellness-api/rest/${collection}?${query}`);
  return summariesOf(collection, reply, context.now);
}

function get({ http, accessToken }: FetchContext, url: string): Promise<ProviderReply> {
  return http.send({ method: 'GET', url, headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' } });
}

/** The key in an address is used up or too old. 401 and 412 are about the person's grant. */
function isSpent({ status }: ProviderReply): boolean {
  return status === 400 || status === 403 || status === 404 || status === 410;
}

/** @throws EndOfRead @throws Drift */
function summariesOf(collection: GarminCollection, reply: ProviderReply, now: number): Summary[] {
  if (reply.status === 400 && NO_PULL_TOKEN.test(reply.body.toString('utf8'))) throw new EndOfRead(withoutPullToken);
  // 412: the person has unticked what this needs.
  const status = reply.status === 412 ? 403 : reply.status;
  const refused = refusalOf({ ...reply, status }, garminCollections[collection].scope, () => retryAtOf(reply.headers, now));
  if (refused !== undefined) throw new EndOfRead(refused);
  const list = replyJson(reply);
  if (!Array.isArray(list)) throw new Drift('body is no list');
  return list.map((value: unknown, index): Summary => [readDocument(value, `[${index}].`), `[${index}].`]);
}
