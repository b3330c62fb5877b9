import { fromBase64, toBase64 } from './base64.js';
import { type SignatureCrypto, oneIs } from './signature.js';

type CryptoKey = Parameters<typeof crypto.subtle.sign>[1];

/** By WebCrypto: Node, Deno, Bun, Workers, browsers. Keys are imported when they are first used. */
export const webCrypto: SignatureCrypto<Promise<boolean>> = {
  hmac(secret) {
    let key: Promise<CryptoKey> | undefined;
    return async (content, signatures) => {
      // Before anything is waited for.
      const bytes = content.joined();
      key ??= importHmacKey(secret);
      return oneIs(await hmacBase64(await key, bytes), signatures);
    };
  },
  ed25519(publicKey) {
    let key: Promise<CryptoKey> | undefined;
    return async (content, signatures) => {
      const bytes = content.joined();
      key ??= crypto.subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, ['verify']);
      let found = false;
      for (const signature of signatures) {
        const value = fromBase64(signature);
        found = (value?.length === 64 && (await crypto.subtle.verify('Ed25519', await key, value, bytes))) || found;
      }
      return found;
    };
  },
};

export function importHmacKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/** 44 characters. */
export async function hmacBase64(key: CryptoKey, content: Uint8Array<ArrayBuffer>): Promise<string> {
  return toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, content)));
}
