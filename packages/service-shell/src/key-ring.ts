import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Seals secrets and tokens with AES-256-GCM. A sealed value names its key, so that keys can be rotated: the first key of the
 * ring seals, every key opens. Layout: version 0x01 · key id length · key id · 12-byte nonce · 16-byte tag · ciphertext.
 */
export class KeyRing {
  readonly #keys = new Map<string, { seal: Buffer; subject: Buffer }>();
  readonly #first: string;

  /** @param text `id:base64key[,id:base64key…]`, each key 32 bytes. */
  constructor(text: string) {
    for (const part of text
      .split(',')
      .map((p) => p.trim())
      .filter(Boolean)) {
      const colon = part.indexOf(':');
      const id = part.slice(0, colon);
      const key = Buffer.from(part.slice(colon + 1), 'base64');
      if (colon < 1 || id.length > 64 || key.length !== 32) {
        throw new Error('expected id:base64 pairs separated by commas, each key 32 bytes (openssl rand -base64 32)');
      }
      const derive = (use: string) => Buffer.from(hkdfSync('sha256', key, '', `tributary/${use}`, 32));
      this.#keys.set(id, { seal: derive('seal'), subject: derive('subject') });
    }
    const [first] = this.#keys.keys();
    if (first === undefined) throw new Error('holds no key');
    this.#first = first;
  }

  /** The id of the key that seals: the first of the ring. */
  get sealsWith(): string {
    return this.#first;
  }

  /** @param context bound to the ciphertext: a value copied to another row or column does not open there. */
  seal(plain: string, context: string): Buffer {
    const id = Buffer.from(this.#first);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', (this.#keys.get(this.#first) as { seal: Buffer }).seal, nonce);
    cipher.setAAD(Buffer.from(context));
    const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(1, id.length), id, nonce, cipher.getAuthTag(), text]);
  }

  /** @throws when the key is not in the ring, or the value is not what was sealed in this context. */
  open(sealed: Buffer, context: string): string {
    const idLength = sealed[1] ?? 0;
    const id = sealed.subarray(2, 2 + idLength).toString();
    const key = this.#keys.get(id);
    if (sealed[0] !== 1 || key === undefined) throw new Error('Sealed by a key that is not in TRIBUTARY_KEYS; add it back to the ring');
    const nonceAt = 2 + idLength;
    const decipher = createDecipheriv('aes-256-gcm', key.seal, sealed.subarray(nonceAt, nonceAt + 12));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(nonceAt + 12, nonceAt + 28));
    return Buffer.concat([decipher.update(sealed.subarray(nonceAt + 28)), decipher.final()]).toString('utf8');
  }

  /**
   * Keyed hashes of a subject, one for each key of the ring, newest first: what a tombstone holds instead of the person's id.
   * Looking up needs all of them, since a tombstone keeps the key that it was written with.
   */
  subjectHashes(providerAppId: string, subjectId: string): Buffer[] {
    return [...this.#keys.values()].map((key) => createHmac('sha256', key.subject).update(`${providerAppId}\0${subjectId}`).digest());
  }
}
