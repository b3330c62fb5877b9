import { toBase64 } from './base64.js';

/** A secret as WebCrypto holds it: its `CryptoKey`, not by that name, which is no global type for a program without the DOM library. */
export interface SigningKey {
  readonly type: string;
  readonly extractable: boolean;
}
type CryptoKey = Parameters<typeof crypto.subtle.sign>[1];

const utf8 = new TextEncoder();

export function importSigningKey(secret: Uint8Array<ArrayBuffer>): Promise<SigningKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/** What is signed: `id.timestamp.body`. A copy, so nothing that happens to `body` later can change what was checked. */
export function signedContent(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = utf8.encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}

/** The base64 of an HMAC-SHA256: 44 characters. */
export async function signContent(key: SigningKey, content: Uint8Array<ArrayBuffer>): Promise<string> {
  return toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key as CryptoKey, content)));
}

/** Compares in a time that depends on the lengths alone. The only comparison of signatures in the SDK. */
export function sameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
