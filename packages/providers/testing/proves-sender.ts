import { describe, expect, it } from '@jest/globals';
import { type InboundProvider, MalformedDelivery } from '../src/provider.js';
import type { RawRequest } from '../src/raw-request.js';
import { type DeliveryMaker, NOW, TOLERANCE_MS, deliveryMaker } from './delivery-maker.js';
import type { PathSecretProof, ProviderCase, SharedSecretProof, SignedProof } from './provider-case.js';
import { rawRequest } from './raw-request.js';

const without = (request: RawRequest, header: string): RawRequest => ({
  ...request,
  headers: new Map([...request.headers].filter(([name]) => name !== header.toLowerCase())),
});

/** What every adapter must make of genuine and forged deliveries, by the grade of its proof. */
export function provesSender(provider: InboundProvider, given: ProviderCase): void {
  const { proof } = given;
  const make = deliveryMaker(provider, given);
  describe(`${provider.name} proves who sent a delivery`, () => {
    it('declares the grade that its proof has', async () => {
      expect(provider.facts.grade).toBe(proof.grade);
      expect(await make.verify(make.delivery())).toMatchObject({ ok: true, grade: proof.grade });
    });
    if (proof.grade === 'path-secret') provesPath(make, proof);
    else if (proof.grade === 'shared-secret') provesSharedSecret(make, proof, given);
    else provesSignature(make, proof, given);
    if (proof.grade !== 'path-secret') rotates(make, proof);
    emptyAndContentType(provider, make, given);
  });
}

function provesSignature(make: DeliveryMaker, proof: SignedProof, given: ProviderCase): void {
  const { verify, verdict, delivery, app, secret } = make;
  const { body } = given.genuine;
  const right = () => delivery().headers.get(proof.signatureHeader.toLowerCase()) as string;
  const withSignature = (value: string) => delivery(NOW, { headers: { [proof.signatureHeader]: value } });

  it('accepts a delivery recorded outside this code base', async () => {
    const { vector } = proof;
    const request = rawRequest({ body: vector.body, headers: vector.headers });
    const to = { ...app(secret('s1', '')), secrets: [{ id: 's1', purpose: proof.purpose, value: vector.secret }] };
    const expected = { ok: true, grade: proof.grade, secretId: 's1', signedAt: vector.signedAt };
    expect(await verify(request, to, vector.signedAt ?? NOW)).toEqual(expected);
  });

  it('says which secret proved a delivery and when it was signed', async () => {
    const signedAt = proof.timestampHeader === undefined ? undefined : NOW - 1_000;
    expect(await verify(delivery(NOW - 1_000))).toEqual({ ok: true, grade: proof.grade, secretId: 's1', signedAt });
  });

  it('refuses a forged delivery: another secret, or one changed byte', async () => {
    expect(await verdict(delivery(NOW, { secret: 'guessed' }))).toBe('signature_mismatch');
    if (proof.grade === 'signed-partial') return;
    for (const at of [0, Math.floor(body.length / 2), body.length - 1]) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] as number) ^ 1;
      expect(await verdict({ ...delivery(), body: changed })).toBe('signature_mismatch');
    }
  });

  it('C006: refuses signatures of the wrong length, alphabet or number without a throw', async () => {
    const genuine = right();
    const wrong = [
      genuine.slice(0, -1),
      genuine.slice(0, 8),
      `${genuine}0`,
      `${genuine}${genuine}`,
      `${genuine}, ${genuine}`,
      ' ',
      'é'.repeat(genuine.length),
      `${genuine.slice(0, -1)}é`,
      '\u{1F600}'.repeat(32),
      'z'.repeat(genuine.length),
      '0'.repeat(genuine.length),
      `\0${genuine.slice(1)}`,
      'a'.repeat(10_240),
    ];
    for (const value of wrong) expect([value, await verdict(withSignature(value))]).toEqual([value, 'signature_mismatch']);
  });

  it(`C003: ${proof.ignoresCase ? 'takes' : 'refuses'} the same signature in the other letter case`, async () => {
    const genuine = right();
    const other = genuine === genuine.toLowerCase() ? genuine.toUpperCase() : genuine.toLowerCase();
    const mixed = other.slice(0, 20) + genuine.slice(20);
    expect(other).not.toBe(genuine);
    for (const value of [other, mixed])
      expect(await verdict(withSignature(value))).toBe(proof.ignoresCase ? 'ok s1' : 'signature_mismatch');
  });

  it('C001: refuses what is missing: secret, signature, and any digest but the right one however fresh its time', async () => {
    expect(await verdict(delivery(), app())).toBe('no_secret');
    expect(await verdict(delivery(NOW, { secret: '' }), app(secret('s1', '')))).toBe('no_secret');
    expect(await verdict(without(delivery(), proof.signatureHeader))).toBe('signature_missing');
    expect(await verdict(withSignature(''))).toBe('signature_missing');
    expect(await verdict(withSignature('0'.repeat(64)))).toBe('signature_mismatch');
  });

  const otherNames = proof.otherNames ?? [];
  if (otherNames.length > 0) {
    it('takes its headers under their other names, and never a mixture', async () => {
      for (const names of otherNames) {
        const request = delivery();
        const renamed = [...request.headers].map(([name, value]) => [(names[name] ?? name).toLowerCase(), value] as const);
        expect(await verdict({ ...request, headers: new Map(renamed) })).toBe('ok s1');
      }
    });
  }

  if (proof.grade === 'signed') {
    it('C106: looks at the bytes received; the same JSON written differently is another message', async () => {
      const written = Buffer.from(` ${body.toString()}`);
      expect(await verdict({ ...delivery(), body: written })).toBe('signature_mismatch');
      expect(await verdict(delivery(NOW, { body: written }))).toBe('ok s1');
    });

    it('C114: proves bodies with emoji, escapes, spaces, 1.0 and keys out of order as they came', async () => {
      for (const text of ['{ "b" : 1.0 ,\n "a" : 2 }', '{"t":"\\u00e9\\/"}', '{"t":"Ranní běh 🏃‍♀️"}']) {
        expect([text, await verdict(delivery(NOW, { body: Buffer.from(text) }))]).toEqual([text, 'ok s1']);
      }
    });
  }

  const { timestampHeader } = proof;
  if (timestampHeader !== undefined) provesTime(make, timestampHeader);
}

function provesTime({ verdict, delivery, current }: DeliveryMaker, timestampHeader: string): void {
  it('refuses a delivery whose timestamp was changed after signing', async () => {
    const moved = delivery().headers.get(timestampHeader.toLowerCase()) as string;
    const old = delivery(NOW - TOLERANCE_MS - 60_000, { headers: { [timestampHeader]: moved } });
    expect(await verdict(old)).toBe('signature_mismatch');
  });

  it('reads timestamps as plain digits only', async () => {
    expect(await verdict(without(delivery(), timestampHeader))).toBe('timestamp_missing');
    for (const value of ['', '-1', '1e9', '0x10', '1.5', ' 1', '1789452300, 1789452300', '１７８９', '9'.repeat(40), 'NaN']) {
      const expected = value === '' ? 'timestamp_missing' : 'timestamp_malformed';
      expect([value, await verdict(delivery(NOW, { headers: { [timestampHeader]: value } }))]).toEqual([value, expected]);
    }
  });

  it('C111: refuses stale and future deliveries, and takes the boundary itself, both ways', async () => {
    expect(await verdict(delivery(), current, NOW + TOLERANCE_MS)).toBe('ok s1');
    expect(await verdict(delivery(), current, NOW + TOLERANCE_MS + 1)).toBe('timestamp_stale');
    expect(await verdict(delivery(), current, NOW - TOLERANCE_MS)).toBe('ok s1');
    expect(await verdict(delivery(), current, NOW - TOLERANCE_MS - 1)).toBe('timestamp_future');
  });

  it('does not let a stale time tell whether a signature was right', async () => {
    const stale = delivery(NOW, { secret: 'guessed' });
    expect(await verdict(stale, current, NOW + TOLERANCE_MS + 1)).toBe('signature_mismatch');
  });
}

function provesSharedSecret(
  { verify, verdict, delivery, app, secret }: DeliveryMaker,
  proof: SharedSecretProof,
  given: ProviderCase,
): void {
  it('says which secret proved a delivery, and no time, since none is signed', async () => {
    expect(await verify(delivery())).toEqual({ ok: true, grade: 'shared-secret', secretId: 's1', signedAt: undefined });
  });

  it('refuses a guess, a part, a doubled secret, and more of it than there is', async () => {
    const right = proof.secretOf?.('current-secret') ?? 'current-secret';
    const wrong = [
      'guessed',
      right.slice(0, -1),
      `${right}0`,
      `${right}, ${right}`,
      right.toUpperCase(),
      'é'.repeat(8),
      'a'.repeat(10_240),
    ];
    for (const value of wrong) {
      const { headers, body } = proof.present(given.genuine.body, value);
      const request = delivery(NOW, { ...(body && { body }), ...(headers && { headers }) });
      expect([value, await verdict({ ...request, body: body ?? request.body })]).toEqual([value, 'signature_mismatch']);
    }
  });

  it('C001: refuses what is missing: the secret here, and the secret there', async () => {
    expect(await verdict(delivery(), app())).toBe('no_secret');
    expect(await verdict(delivery(NOW, { secret: '' }), app(secret('s1', '')))).toBe('no_secret');
    if (proof.header === undefined) return;
    expect(await verdict(without(delivery(), proof.header))).toBe('signature_missing');
    expect(await verdict(delivery(NOW, { headers: { [proof.header]: '' } }))).toBe('signature_missing');
  });
}

/** Keyed proofs only. */
function rotates({ verdict, delivery, app, secret }: DeliveryMaker, proof: SignedProof | SharedSecretProof): void {
  it('never takes a secret of another purpose', async () => {
    const others = (['client_secret', 'webhook_secret', 'verification_token'] as const).filter((purpose) => purpose !== proof.purpose);
    expect(await verdict(delivery(), app(...others.map((purpose) => secret(purpose, 'current-secret', purpose))))).toBe('no_secret');
  });

  it('takes any live secret during a rotation, and refuses the old one once it is gone', async () => {
    const both = app(secret('new', 'next-secret'), secret('old', 'current-secret'));
    expect(await verdict(delivery(), both)).toBe('ok old');
    expect(await verdict(delivery(NOW, { secret: 'next-secret' }), both)).toBe('ok new');
    expect(await verdict(delivery(), app(secret('new', 'next-secret')))).toBe('signature_mismatch');
  });
}

function provesPath({ verify, verdict, delivery, current }: DeliveryMaker, proof: PathSecretProof): void {
  it('takes what came to our address, as no better than that', async () => {
    expect(await verify(delivery())).toMatchObject({ ok: true, grade: 'path-secret', signedAt: undefined });
  });

  it('is no more convinced by a signature that nobody documented', async () => {
    const request = delivery(NOW, { headers: { 'x-signature': 'a'.repeat(64), authorization: 'Bearer a' } });
    expect(await verify(request)).toMatchObject({ ok: true, grade: 'path-secret' });
  });

  for (const [at, { headers, body }] of (proof.foreign ?? []).entries()) {
    it(`refuses a delivery that says it is not for this app (${at + 1})`, async () => {
      const request = delivery(NOW, { ...(body && { body }), ...(headers && { headers }) });
      expect(await verdict(request, current)).toBe('signature_mismatch');
    });
  }
}

function emptyAndContentType(provider: InboundProvider, { delivery, verdict }: DeliveryMaker, given: ProviderCase): void {
  const inBody = given.proof.grade === 'shared-secret' && given.proof.header === undefined;
  const empty = () => (inBody ? rawRequest({}) : delivery(NOW, { body: Buffer.alloc(0) }));

  it(`proves an empty body like any other, and then finds it ${given.emptyBody ?? 'malformed'}`, async () => {
    expect((await verdict(empty())).startsWith(inBody ? 'signature_m' : 'ok')).toBe(true);
    if (given.emptyBody === 'no notices') expect(provider.notices(empty()).notices).toEqual([]);
    else expect(() => provider.notices(empty())).toThrow(MalformedDelivery);
  });

  it('does not care what the content type says', async () => {
    const genuine = await verdict(delivery());
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json', 'nonsense']) {
      expect(await verdict(delivery(NOW, { headers: { 'content-type': type } }))).toBe(genuine);
    }
  });
}
