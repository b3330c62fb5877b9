import { createHmac } from 'node:crypto';

/** HMAC-SHA256 over the parts one after the other, as if they were one message. */
export function hmacSha256(secret: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

// `Buffer.from` skips what is not of the alphabet or stops at it, without a word: a digest is read strictly or not at all.

/** 64 hex digits of either case to 32 bytes; undefined for anything else. */
export function bytesOfHex64(text: string): Buffer | undefined {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Padded base64 of the usual alphabet, in its one right spelling; undefined for anything else. */
export function bytesOfBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
