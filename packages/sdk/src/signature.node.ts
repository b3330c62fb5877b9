/// <reference types="node" />
import { Buffer } from 'node:buffer';
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { fromBase64 } from './base64.js';
import { type SignatureCrypto, type SignedContent, oneIs } from './signature.js';

/** What stands before the 32 bytes of an Ed25519 public key in SPKI. */
const spki = Uint8Array.from([0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]);

/** By `node:crypto`: no thread hop and no promise, which for bodies of a few kilobytes is most of the time. */
export const nodeCrypto: SignatureCrypto<boolean> = {
  hmac: (secret) => (content, signatures) => oneIs(hmacBase64(secret, content), signatures),
  ed25519(bytes) {
    const der = new Uint8Array(spki.length + bytes.length);
    der.set(spki);
    der.set(bytes, spki.length);
    const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
    return (content, signatures) => {
      let found = false;
      for (const signature of signatures) {
        const value = fromBase64(signature);
        found = (value?.length === 64 && verify(null, content.joined(), key, value)) || found;
      }
      return found;
    };
  },
};

/** Node keeps small buffers in a pool: below this, one update of a copy is cheaper than two, and above it the copy is what costs. */
const pooled = 4_000;

function hmacBase64(secret: Uint8Array, { head, body }: SignedContent): string {
  const hmac = createHmac('sha256', secret);
  const length = head.length + body.length;
  if (length > pooled) return hmac.update(head, 'latin1').update(body).digest('base64');
  const content = Buffer.allocUnsafe(length);
  content.write(head, 0, 'latin1');
  content.set(body, head.length);
  return hmac.update(content).digest('base64');
}
