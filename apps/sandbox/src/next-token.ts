import { createHmac } from 'node:crypto';
export interface NextPage {
  readonly range: { readonly start: string; readonly end: string };
  /** Day and id of the last document of the page before. */
  readonly after: readonly [day: string, id: string];
}

/** Opaque to clients, and good only for the person and collection that it was made for. @param owner never readable in the token. */
export function makeNextToken(key: Buffer, owner: string, page: NextPage): string {
  const payload = Buffer.from(JSON.stringify([page.range.start, page.range.end, ...page.after])).toString('base64url');
  return `${payload}.${sealOf(key, owner, payload)}`;
}

/** Undefined for anything that {@link makeNextToken} did not make for this owner. */
export function readNextToken(key: Buffer, owner: string, token: string): NextPage | undefined {
  const [payload = '', seal] = token.split('.');
  if (seal !== sealOf(key, owner, payload)) return undefined;
  const [start, end, day, id] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, string, string, string];
  return { range: { start, end }, after: [day, id] };
}

function sealOf(key: Buffer, owner: string, payload: string): string {
  return createHmac('sha256', key).update(`${owner}\0${payload}`).digest('base64url').slice(0, 16);
}
