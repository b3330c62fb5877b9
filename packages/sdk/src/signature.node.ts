/// <reference types="node" />
import { Buffer } from 'node:buffer';
import nodeModule, { createHmac, createPublicKey, verify } from 'node:crypto';
import { fromBase64 } from './base64.js';
import { type SignatureCrypto, type SignedContent, oneIs } from './signature.js';

/** What stands before the 32 bytes of an Ed25519 public key in SPKI. */
const spki = Uint8Array.from([0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]);

/** By `node:crypto`: no thread hop and no promise, which for bodies of a few kilobytes is most of the time. */
export const nodeCrypto: SignatureCrypto<boolean> = {
  hmac(secret) {
    const hmacBase64 = hmacOf(secret);
    return (content, signatures) => oneIs(hmacBase64(content), signatures);
  },
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

const blockBytes = 64;
const digestBytes = 32;
/** Above this the hash is what costs, and no longer what is made around it. */
const mostJoined = 8_192;

/**
 * HMAC-SHA256 by two calls of `hash`, which makes no object as `createHmac` does: half the time at a few kilobytes. Runtimes that lack it
 * (it came with Node 20.12) use `createHmac`.
 */
function hmacOf(secret: Uint8Array): (content: SignedContent) => string {
  const { hash } = nodeModule;
  const withObject = ({ head, body }: SignedContent) => createHmac('sha256', secret).update(head, 'latin1').update(body).digest('base64');
  if (typeof hash !== 'function' || secret.length > blockBytes) return withObject;
  // RFC 2104: H(K ^ opad, H(K ^ ipad, text)). The pads stand in front for good; nothing else runs between the writing and the hashing.
  const inner = Buffer.alloc(blockBytes + mostJoined);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  for (let at = 0; at < blockBytes; at++) {
    inner[at] = (secret[at] ?? 0) ^ 0x36;
    outer[at] = (secret[at] ?? 0) ^ 0x5c;
  }
  return (content) => {
    const { head, body } = content;
    if (head.length + body.length > mostJoined) return withObject(content);
    inner.write(head, blockBytes, 'latin1');
    inner.set(body, blockBytes + head.length);
    outer.write(hash('sha256', inner.subarray(0, blockBytes + head.length + body.length), 'binary'), blockBytes, 'binary');
    return hash('sha256', outer, 'base64');
  };
}
