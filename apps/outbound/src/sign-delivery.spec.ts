import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signDelivery, signingKey, signingKeys } from './sign-delivery.js';

interface Vector {
  name: string;
  secret: string;
  id: string;
  timestamp: number;
  body?: string;
  bodyBase64: string;
  signature: string;
}
const golden = JSON.parse(readFileSync(new URL('../../../test/vectors/standard-webhooks.json', import.meta.url), 'utf8')) as {
  vectors: Vector[];
  asymmetric: (Vector & { publicKey: string })[];
  accepted: Vector[];
};

describe('signing', () => {
  it('has vectors to check', () => {
    expect(golden.vectors.length).toBeGreaterThanOrEqual(10);
    expect(golden.vectors.some(({ bodyBase64 }) => /[^\x20-\x7e]/.test(Buffer.from(bodyBase64, 'base64').toString('latin1')))).toBe(true);
  });

  it.each(golden.vectors)('gives the golden signature of $name', ({ secret, id, timestamp, bodyBase64, signature }) => {
    const body = Buffer.from(bodyBase64, 'base64');
    expect(signDelivery({ id, timestampS: timestamp, body }, [signingKey(secret)])).toBe(signature);
  });

  it.each(golden.vectors.filter(({ body }) => body !== undefined))(
    'agrees with standardwebhooks on $name',
    ({ secret, id, timestamp, body }) => {
      const ours = signDelivery({ id, timestampS: timestamp, body: Buffer.from(body as string) }, [signingKey(secret)]);
      expect(ours).toBe(new Webhook(secret).sign(id, new Date(timestamp * 1_000), body as string));
    },
  );

  it('signs with each live secret, one entry each, apart by a space', () => {
    const [older, newer] = [golden.vectors[0], golden.vectors[7]] as [Vector, Vector];
    const parts = { id: older.id, timestampS: older.timestamp, body: Buffer.from(older.bodyBase64, 'base64') };
    expect(signDelivery(parts, [signingKey(older.secret), signingKey(newer.secret)])).toBe(golden.accepted[0]?.signature);
  });
});

describe('signing with a private key', () => {
  const [published] = golden.asymmetric as [Vector & { publicKey: string }];

  it.each(golden.asymmetric)('gives the golden v1a signature of $name', ({ secret, id, timestamp, bodyBase64, signature }) => {
    const parts = { id, timestampS: timestamp, body: Buffer.from(bodyBase64, 'base64') };
    expect(signDelivery(parts, signingKeys(secret))).toBe(signature);
  });

  it.each(golden.asymmetric)('is proved by the public key alone: $name', ({ publicKey, id, timestamp, bodyBase64, signature }) => {
    const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const proves = (body: Buffer) =>
      verify(null, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]), key, Buffer.from(signature.slice('v1a,'.length), 'base64'));
    expect(proves(Buffer.from(bodyBase64, 'base64'))).toBe(true);
    expect(proves(Buffer.from('another body'))).toBe(false);
  });

  it('stands beside v1, and a receiver that knows only v1 accepts the header', () => {
    const [symmetric] = golden.vectors as [Vector];
    const body = Buffer.from(published.bodyBase64, 'base64');
    const now = Math.floor(Date.now() / 1_000);
    const keys = signingKeys(`${symmetric.secret} ${published.secret}`);
    const both = signDelivery({ id: published.id, timestampS: published.timestamp, body }, keys);
    expect(both).toBe(`${symmetric.signature} ${published.signature}`);
    const headers = {
      'webhook-id': published.id,
      'webhook-timestamp': String(now),
      'webhook-signature': signDelivery({ id: published.id, timestampS: now, body }, keys),
    };
    expect(new Webhook(symmetric.secret).verify(body.toString(), headers)).toEqual({ test: 2432232314 });
  });

  it('takes part in an overlap: two generations sign, each with both of its keys', () => {
    const older = `${golden.vectors[0]?.secret} ${published.secret}`;
    const newer = `whsec_${Buffer.alloc(24, 7).toString('base64')} ${published.secret}`;
    const entries = signDelivery({ id: 'evt_1', timestampS: 1, body: Buffer.from('{}') }, [newer, older].flatMap(signingKeys)).split(' ');
    expect(entries.map((entry) => entry.split(',')[0])).toEqual(['v1', 'v1a', 'v1', 'v1a']);
    expect(new Set(entries).size).toBe(3);
  });

  it.each([
    'whsk_',
    'whsk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX',
    `whsk_${Buffer.alloc(32, 1).toString('base64')}`,
    `whsk_${Buffer.alloc(64, 1).toString('base64')}`,
    published.secret.replace('/', '_'),
    published.publicKey,
    `${golden.vectors[0]?.secret}  ${published.secret}`,
    `${golden.vectors[0]?.secret} `,
  ])('refuses %p, without showing it', (secrets) => {
    const refusal = (() => {
      try {
        return signingKeys(secrets);
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(refusal).toMatch(/^A signing (secret|key) is not wh(sec|sk)_ followed by/);
  });
});

describe('a signing secret', () => {
  it('is the bytes behind whsec_', () => {
    expect(signingKey('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX')).toEqual(Buffer.from(Array.from({ length: 24 }, (_, i) => i)));
  });

  it.each([
    '',
    'whsec_',
    'AAECAwQFBgcICQoLDA0ODxAREhMUFRYX',
    'whsec_A_-=',
    'whsec_AAE',
    'whsec_not base64',
    'whsk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX',
  ])('is refused when it is %p, without being shown', (secret) => {
    expect(() => signingKey(secret)).toThrow('A signing secret is not whsec_ followed by standard base64');
  });
});
