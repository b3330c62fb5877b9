import { createPrivateKey, sign } from 'node:crypto';

/** RSA with SHA-256 over a text (RS256 of RFC 7518). Undefined when the key is no RSA key in PEM. */
export function signRs256(text: string, privateKeyPem: string): Buffer | undefined {
  try {
    const key = createPrivateKey(privateKeyPem);
    return key.asymmetricKeyType === 'rsa' ? sign('sha256', Buffer.from(text), key) : undefined;
  } catch {
    return undefined;
  }
}
