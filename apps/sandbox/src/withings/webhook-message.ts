import type { SignedPost } from '../webhook-sender.js';

/** What one notification says. */
export interface WebhookFacts {
  readonly subjectId: string;
  /** The number of its category. */
  readonly dataType: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** How a message can be wrong. Nothing is signed, so each is as well proved by its address as a right one. */
export const forgeries = ['json', 'truncated', 'oversized'] as const;
export type Forgery = (typeof forgeries)[number];

const OVERSIZED_BYTES = 3 * 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded';

export function webhookPost({ subjectId, dataType, fields }: WebhookFacts, forge?: Forgery): SignedPost {
  const said = { userid: subjectId, ...fields, appli: dataType };
  const body = Buffer.from(new URLSearchParams(said).toString());
  switch (forge) {
    case undefined:
      return { headers: { 'content-type': FORM }, body };
    case 'json':
      return { headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(said)) };
    case 'truncated':
      return { headers: { 'content-type': FORM }, body: body.subarray(0, body.lastIndexOf('&')) };
    case 'oversized':
      return { headers: { 'content-type': FORM }, body: Buffer.concat([body, Buffer.from('&x='), Buffer.alloc(OVERSIZED_BYTES, 'x')]) };
  }
}
