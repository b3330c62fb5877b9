import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signDelivery, signingKey } from './sign-delivery.js';

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
