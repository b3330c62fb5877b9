import { type Document, readDocument } from '../document-fields.js';
import { Drift } from '../drift.js';
import type { ProviderHttp, ProviderReply } from '../provider.js';
import { replyJson } from '../reply.js';

export interface WithingsCall {
  readonly url: string;
  readonly action: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly accessToken?: string;
}

/** The answer in its envelope: `status` 0 is success, and the HTTP status says nothing of it. */
export interface WithingsAnswer {
  readonly status: number;
  readonly body: Document;
  readonly error: string;
}

/** Every call is a POST of a form with its `action`. @throws ProviderUnreachable */
export function postAction(http: ProviderHttp, { url, action, fields, accessToken }: WithingsCall): Promise<ProviderReply> {
  return http.send({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
    },
    body: new URLSearchParams({ action, ...fields }).toString(),
  });
}

/** @throws Drift where the envelope is not what we know. */
export function readAnswer(reply: ProviderReply): WithingsAnswer {
  const answer = readDocument(replyJson(reply), '');
  const { status, body, error } = answer;
  if (typeof status !== 'number' || !Number.isInteger(status)) throw new Drift('status is no number');
  // PHP writes an object without fields as a list.
  const isEmpty = body === undefined || body === null || (Array.isArray(body) && body.length === 0);
  return { status, body: isEmpty ? {} : readDocument(body, 'body.'), error: typeof error === 'string' ? error : '' };
}

/** Numbers of Withings' status table. The token is not honoured: */
export const authFailed: ReadonlySet<number> = new Set([100, 101, 102, 200, 401]);
/** The person did not allow this, or the app may not: */
export const notAllowed: ReadonlySet<number> = new Set([214, 277, 403, 2553]);
export const TOO_MANY = 601;
/** The call itself was wrong, and will be again: */
export const badCall: ReadonlySet<number> = new Set([293, 294, 503, 2554]);
