import type { FetchOutcome } from '@tributary/domain';
import type { Document } from '../document-fields.js';
import { Drift, EndOfRead } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { believablePause, refusalOf } from '../reply.js';
import { TOO_MANY, type WithingsAnswer, authFailed, badCall, notAllowed, postAction, readAnswer } from './call.js';

/** Pages of one list that we follow. */
const MAX_PAGES = 50;

export interface Asking {
  readonly path: string;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Of whose lack a refusal speaks. */
  readonly scope: string;
}

/** One element of a list, with the path at which it stood. */
export interface Listed {
  readonly value: unknown;
  readonly at: string;
}

/** All pages of a list. `complete`: there were no more of them. `last`: the body of the last one. @throws EndOfRead when one is refused. @throws Drift */
export async function readList(
  { list, ...asking }: Asking & { readonly list: string },
  context: FetchContext,
): Promise<{ readonly listed: readonly Listed[]; readonly complete: boolean; readonly last: Document }> {
  const listed: Listed[] = [];
  let last: Document = {};
  let offset: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const fields = offset === undefined ? asking.fields : { ...asking.fields, offset };
    const body = await askWithings({ ...asking, fields }, context);
    last = body;
    // Without anything to show the list itself may be missing.
    const values = body[list] ?? [];
    if (!Array.isArray(values)) throw new Drift(`body.${list} is no list`);
    listed.push(...values.map((value: unknown, index) => ({ value, at: `body.${list}[${index}].` })));
    // `true` or 1.
    if (!body['more']) return { listed, complete: true, last };
    offset = String(body['offset']);
  }
  return { listed, complete: false, last };
}

/** What is inside of one answer. @throws EndOfRead when it is refused. @throws Drift */
export async function askWithings({ path, action, fields, scope }: Asking, context: FetchContext): Promise<Document> {
  const { http, origins, accessToken, now } = context;
  const reply = await postAction(http, { url: origins.api + path, action, fields, accessToken });
  const refused = refusalOf(reply, scope, () => believablePause(undefined, now));
  if (refused !== undefined) throw new EndOfRead(refused);
  const answer = readAnswer(reply);
  if (answer.status !== 0) throw new EndOfRead(endOf(answer, scope, now));
  return answer.body;
}

/** What the number inside an answer of 200 means for the read. Never that there is nothing. */
function endOf({ status }: WithingsAnswer, scope: string, now: number): FetchOutcome {
  // The limit is 120 calls a minute for the whole app, and nothing says when the minute ends.
  if (status === TOO_MANY) return { is: 'rate-limited', retryAt: believablePause(undefined, now) };
  if (authFailed.has(status)) return { is: 'unauthorised' };
  if (notAllowed.has(status)) return { is: 'forbidden', scope };
  if (badCall.has(status)) return { is: 'drift', detail: `status ${status}` };
  return { is: 'transient', code: `withings_${status}` };
}
