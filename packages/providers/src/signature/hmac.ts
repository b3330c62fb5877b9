import { createHmac } from 'node:crypto';

/** HMAC-SHA256 over the parts one after the other, as if they were one message. */
export function hmacSha256(secret: string, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** 64 hex digits of either case to 32 bytes; undefined for anything else. `Buffer.from` would stop silently at the first odd digit. */
export function bytesOfHex64(text: string): Buffer | undefined {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}
