import { toBase64 } from './base64.js';
import { type Secret } from './secret.js';
import { hmacBase64, importHmacKey } from './signature.web.js';

/** What stands before the 32 bytes of an Ed25519 seed in PKCS #8. */
const pkcs8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/** One entry of `webhook-signature`. */
export async function signatureEntry({ version, bytes }: Secret, content: Uint8Array<ArrayBuffer>): Promise<string> {
  if (version === 'v1') return `v1,${await hmacBase64(await importHmacKey(bytes), content)}`;
  const der = Uint8Array.from([...pkcs8, ...bytes.subarray(0, 32)]);
  const key = await crypto.subtle.importKey('pkcs8', der, { name: 'Ed25519' }, false, ['sign']);
  return `v1a,${toBase64(new Uint8Array(await crypto.subtle.sign('Ed25519', key, content)))}`;
}
