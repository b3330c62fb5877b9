import { hash } from 'node:crypto';

/** A delivery id for providers that give none: equal bytes are the same delivery. The app is part of the key it stands in. */
export function contentId(body: Uint8Array): string {
  return hash('sha256', body, 'base64url');
}

/** SHA-256 in hex of a text. */
export function contentHash(text: string): string {
  return hash('sha256', text, 'hex');
}
