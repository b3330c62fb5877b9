import { describe, expect, it } from '@jest/globals';
import type { Notice } from '@tributary/domain';
import type { AppForVerification, IngestOutcome, LiveSecret, Provider, RemoteKeys, SecretPurpose } from '../src/provider.js';
import { MalformedDelivery } from '../src/provider.js';
import type { RawRequest } from '../src/raw-request.js';

/** What the suite has to know of a provider that signs its deliveries. */
export interface SignedProviderCase {
  /** The secrets that sign. */
  readonly purpose: SecretPurpose;
  readonly signatureHeader: string;
  readonly timestampHeader: string;
  /** Whether a signature in the other letter case is the same signature. */
  readonly ignoresCase: boolean;
  /** Headers of a genuine delivery, made independently of the code under test. `signedAt` in epoch milliseconds. */
  sign(body: Buffer, secret: string, signedAt: number): Record<string, string>;
  /** Recorded outside this code base. */
  readonly vector: { readonly secret: string; readonly headers: Record<string, string>; readonly body: Buffer; readonly signedAt: number };
  readonly genuine: { readonly body: Buffer; readonly notices: readonly Notice[] };
  /** Genuine, of a type that we do not read. */
  readonly unread: Buffer;
  /** Genuine, with a field that nobody documented. */
  readonly extended: { readonly body: Buffer; readonly notices: readonly Notice[] };
  /** Genuine, with a subject id beyond 2^53 written as a number. */
  readonly longId: { readonly body: Buffer; readonly subjectId: string };
  /** Bodies of the wrong shape, and the path that the complaint must name. */
  readonly malformed: readonly { readonly body: Buffer; readonly names: string }[];
}

/** For providers that have no remote key set: asking for one is a fault. */
export const noKeys: RemoteKeys = {
  current: (url) => Promise.reject(new Error(`asked for ${url}`)),
  renewed: (url) => Promise.reject(new Error(`asked for ${url}`)),
};

const NOW = 1_796_000_000_000;
const TOLERANCE_MS = 300_000;

export function rawRequest(parts: Partial<Omit<RawRequest, 'headers'>> & { headers?: Record<string, string> } = {}): RawRequest {
  const url = parts.url ?? '/in/x/app';
  return {
    method: parts.method ?? 'POST',
    url,
    query: parts.query ?? new URLSearchParams(url.split('?')[1] ?? ''),
    headers: new Map(Object.entries(parts.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
    body: parts.body ?? Buffer.alloc(0),
  };
}

/** What every signing provider must survive; passing it is what makes an adapter done. */
export function provesProvider(provider: Provider, given: SignedProviderCase): void {
  const { body } = given.genuine;
  const secret = (id: string, value: string, purpose = given.purpose): LiveSecret => ({ id, purpose, value });
  const app = (...secrets: LiveSecret[]): AppForVerification => ({ clientId: 'client', secrets, toleranceMs: TOLERANCE_MS });
  const current = app(secret('s1', 'current-secret'));
  const signed = (at: number, extra: Partial<{ body: Buffer; secret: string; headers: Record<string, string> }> = {}) =>
    rawRequest({
      body: extra.body ?? body,
      headers: {
        'content-type': 'application/json',
        ...given.sign(extra.body ?? body, extra.secret ?? 'current-secret', at),
        ...extra.headers,
      },
    });
  const verdict = async (request: RawRequest, to = current, now = NOW) => {
    const verification = await provider.verify(request, to, now, noKeys);
    return verification.ok ? `ok ${verification.secretId}` : verification.code;
  };

  describe(`${provider.name} proves who sent a delivery`, () => {
    it('accepts a delivery recorded outside this code base', async () => {
      const { vector } = given;
      const request = rawRequest({ body: vector.body, headers: vector.headers });
      expect(await provider.verify(request, app(secret('s1', vector.secret)), vector.signedAt, noKeys)).toEqual({
        ok: true,
        grade: 'signed',
        secretId: 's1',
        signedAt: vector.signedAt,
      });
    });

    it('accepts a genuine delivery and says which secret proved it and when it was signed', async () => {
      expect(await provider.verify(signed(NOW - 1_000), current, NOW, noKeys)).toEqual({
        ok: true,
        grade: 'signed',
        secretId: 's1',
        signedAt: NOW - 1_000,
      });
    });

    it('refuses a forged delivery: another secret, or one changed byte', async () => {
      expect(await verdict(signed(NOW, { secret: 'guessed' }))).toBe('signature_mismatch');
      for (const at of [0, Math.floor(body.length / 2), body.length - 1]) {
        const changed = Buffer.from(body);
        changed[at] = (changed[at] as number) ^ 1;
        expect(await verdict({ ...signed(NOW), body: changed })).toBe('signature_mismatch');
      }
    });

    it('refuses a delivery whose timestamp was changed after signing', async () => {
      const moved = given.sign(body, 'current-secret', NOW)[given.timestampHeader] as string;
      expect(await verdict(signed(NOW - TOLERANCE_MS - 60_000, { headers: { [given.timestampHeader]: moved } }))).toBe(
        'signature_mismatch',
      );
    });

    it('refuses signatures of the wrong length, alphabet or number without a throw', async () => {
      const right = given.sign(body, 'current-secret', NOW)[given.signatureHeader] as string;
      const wrong = [
        right.slice(0, -1),
        right.slice(0, 8),
        `${right}0`,
        `${right}${right}`,
        `${right}, ${right}`,
        ' ',
        'é'.repeat(right.length),
        '\u{1F600}'.repeat(32),
        'z'.repeat(right.length),
        '0'.repeat(right.length),
        `\0${right.slice(1)}`,
      ];
      for (const value of wrong) {
        expect([value, await verdict(signed(NOW, { headers: { [given.signatureHeader]: value } }))]).toEqual([value, 'signature_mismatch']);
      }
    });

    it(`${given.ignoresCase ? 'takes' : 'refuses'} the same signature in the other letter case`, async () => {
      const right = given.sign(body, 'current-secret', NOW)[given.signatureHeader] as string;
      const other = right === right.toLowerCase() ? right.toUpperCase() : right.toLowerCase();
      expect(other).not.toBe(right);
      expect(await verdict(signed(NOW, { headers: { [given.signatureHeader]: other } }))).toBe(
        given.ignoresCase ? 'ok s1' : 'signature_mismatch',
      );
    });

    it('refuses what is missing: secret, signature, timestamp', async () => {
      expect(await verdict(signed(NOW), app())).toBe('no_secret');
      expect(await verdict(signed(NOW, { secret: '' }), app(secret('s1', '')))).toBe('no_secret');
      const without = (header: string) => {
        const request = signed(NOW);
        return { ...request, headers: new Map([...request.headers].filter(([name]) => name !== header)) };
      };
      expect(await verdict(without(given.signatureHeader))).toBe('signature_missing');
      expect(await verdict(without(given.timestampHeader))).toBe('timestamp_missing');
      expect(await verdict(signed(NOW, { headers: { [given.signatureHeader]: '' } }))).toBe('signature_missing');
    });

    it('never takes a secret of another purpose', async () => {
      const others = (['client_secret', 'webhook_secret', 'verification_token'] as const).filter((purpose) => purpose !== given.purpose);
      expect(await verdict(signed(NOW), app(...others.map((purpose) => secret(purpose, 'current-secret', purpose))))).toBe('no_secret');
    });

    it('reads timestamps as plain digits only', async () => {
      for (const value of ['', '-1', '1e9', '0x10', '1.5', ' 1', '1789452300, 1789452300', '１７８９', '9'.repeat(40), 'NaN']) {
        expect([value, await verdict(signed(NOW, { headers: { [given.timestampHeader]: value } }))]).toEqual([
          value,
          value === '' ? 'timestamp_missing' : 'timestamp_malformed',
        ]);
      }
    });

    it('refuses stale and future deliveries, and takes the boundary itself, both ways', async () => {
      expect(await verdict(signed(NOW), current, NOW + TOLERANCE_MS)).toBe('ok s1');
      expect(await verdict(signed(NOW), current, NOW + TOLERANCE_MS + 1)).toBe('timestamp_stale');
      expect(await verdict(signed(NOW), current, NOW - TOLERANCE_MS)).toBe('ok s1');
      expect(await verdict(signed(NOW), current, NOW - TOLERANCE_MS - 1)).toBe('timestamp_future');
    });

    it('takes any live secret during a rotation, and refuses the old one once it is gone', async () => {
      const both = app(secret('new', 'next-secret'), secret('old', 'current-secret'));
      expect(await verdict(signed(NOW), both)).toBe('ok old');
      expect(await verdict(signed(NOW, { secret: 'next-secret' }), both)).toBe('ok new');
      expect(await verdict(signed(NOW), app(secret('new', 'next-secret')))).toBe('signature_mismatch');
    });

    it('looks at the bytes received: the same JSON written differently is another message', async () => {
      const written = Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1));
      expect(written.equals(body)).toBe(false);
      expect(await verdict({ ...signed(NOW), body: written })).toBe('signature_mismatch');
      expect(await verdict(signed(NOW, { body: written }))).toBe('ok s1');
    });

    it('proves an empty body like any other, and then calls it malformed', async () => {
      const empty = Buffer.alloc(0);
      expect(await verdict({ ...signed(NOW), body: empty })).toBe('signature_mismatch');
      expect(await verdict(signed(NOW, { body: empty }))).toBe('ok s1');
      expect(() => provider.notices(signed(NOW, { body: empty }))).toThrow(MalformedDelivery);
    });

    it('does not care what the content type says', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
        expect(await verdict(signed(NOW, { headers: { 'content-type': type } }))).toBe('ok s1');
      }
    });
  });

  describe(`${provider.name} says what changed`, () => {
    const read = (bytes: Buffer) => provider.notices(rawRequest({ body: bytes }));

    it('turns a genuine delivery into notices', () => {
      expect(read(body).notices).toEqual(given.genuine.notices);
    });

    it('names equal bytes alike and other bytes differently', () => {
      expect(read(Buffer.from(body)).deliveryId).toEqual(read(body).deliveryId);
      expect(read(given.extended.body).deliveryId.value).not.toBe(read(body).deliveryId.value);
    });

    it('acknowledges a type that it does not read, with no notice', () => {
      expect(read(given.unread).notices).toEqual([]);
    });

    it('lets the provider add fields', () => {
      expect(read(given.extended.body).notices).toEqual(given.extended.notices);
    });

    it('keeps every digit of a 64-bit id', () => {
      expect(read(given.longId.body).notices.map((notice) => notice.subjectId)).toEqual([given.longId.subjectId]);
    });

    it('complains of a wrong shape by its path, and quotes nothing from the body', () => {
      for (const { body: bytes, names } of given.malformed) {
        let detail = 'no complaint';
        try {
          read(bytes);
        } catch (error) {
          detail = error instanceof MalformedDelivery ? error.detail : String(error);
        }
        expect(detail.startsWith(names) ? names : `${detail} instead of ${names}`).toBe(names);
        expect(detail).not.toMatch(/private/i);
      }
    });

    it('only reads collections that it declares', () => {
      for (const notice of [...given.genuine.notices, ...given.extended.notices]) {
        expect(Object.keys(provider.collections)).toContain(notice.collection);
      }
    });
  });

  describe(`${provider.name} answers`, () => {
    const statusOf = (outcome: IngestOutcome) => provider.answer(outcome).status;

    it('acknowledges what was taken or can never be read, and nothing else; 410 would end the subscription', () => {
      expect([statusOf('accepted'), statusOf('malformed')].every((status) => status >= 200 && status < 300)).toBe(true);
      expect({
        unauthenticated: statusOf('unauthenticated'),
        'too-large': statusOf('too-large'),
        unavailable: statusOf('unavailable'),
        unsupported: statusOf('unsupported'),
      }).toEqual({ unauthenticated: 401, 'too-large': 413, unavailable: 503, unsupported: 405 });
    });

    it('takes only POST as a delivery', () => {
      for (const method of ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE']) {
        expect(provider.classify(rawRequest({ method }))).toBe('unsupported');
      }
      expect(provider.classify(rawRequest({ method: 'POST' }))).toBe('delivery');
    });
  });
}
