import { describe, expect, it } from '@jest/globals';
import { eventTypes } from '@tributary/domain';
import { eventBody, eventSchemas } from '@tributary/handoffs';
import { Webhook } from 'standardwebhooks';
import { exampleData } from '../../../packages/sdk/src/example-data.js';
import { VerificationError } from '../../../packages/sdk/src/verification-error.js';
import { verify } from '../../../packages/sdk/src/verify.js';
import { signDelivery, signingKeys } from './sign-delivery.js';

// What leaves us, read by those whom it is for. doubles: the clock.  oracles: the `standardwebhooks` package, and our SDK.
const shared = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const older = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
const asymmetric = 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
const committed = new Date('2026-12-01T09:14:00.123Z');

function sent(type: string, data: unknown, timestampS: number, secrets = [`${shared} ${asymmetric}`, older]) {
  const body = eventBody(type, committed, 3, Buffer.from(JSON.stringify(data)));
  const id = 'evt_01';
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signDelivery({ id, timestampS, body }, secrets.flatMap(signingKeys)),
  };
  return { body, headers };
}
const nowS = () => Math.floor(Date.now() / 1_000);

describe('every type of event', () => {
  it('has an example to send', () => {
    expect(Object.keys(exampleData).sort()).toEqual([...eventTypes].sort());
    expect(Object.keys(eventSchemas).sort()).toEqual([...eventTypes].sort());
  });

  it.each(eventTypes)('%s is accepted by the standardwebhooks package, under either secret of an overlap', (type) => {
    const { body, headers } = sent(type, exampleData[type], nowS());
    const expected = { type, timestamp: committed.toISOString(), deliveryAttempt: 3, data: exampleData[type] };
    for (const secret of [shared, older]) expect(new Webhook(secret).verify(body.toString(), headers)).toEqual(expected);
    expect(() => new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).verify(body.toString(), headers)).toThrow(
      'No matching signature found',
    );
  });

  it.each(eventTypes)('%s is accepted and read by the SDK, and refused with one byte changed', async (type) => {
    const { body, headers } = sent(type, exampleData[type], nowS());
    for (const secret of [shared, older]) {
      expect(await verify(body, headers, secret)).toMatchObject({ id: 'evt_01', type, deliveryAttempt: 3, data: exampleData[type] });
    }
    const changed = Buffer.from(body);
    changed[body.length - 3] = (changed[body.length - 3] as number) ^ 1;
    await expect(verify(changed, headers, shared)).rejects.toMatchObject({ code: 'signature_mismatch' });
  });
});

describe("C111: the receiver's clock is wrong", () => {
  const { body, headers } = sent('endpoint.test', exampleData['endpoint.test'], 1_800_000_000);
  const at = (skewS: number) => verify(body, headers, shared, { now: () => (1_800_000_000 + skewS) * 1_000 });

  it.each([299, -299, 300, -300])('by %i s: accepted', async (skewS) => {
    expect(await at(skewS)).toMatchObject({ type: 'endpoint.test' });
  });

  it.each([
    [301, 'timestamp_too_old'],
    [-301, 'timestamp_too_new'],
  ])('by %i s: refused, and the operator is told by how much', async (skewS, code) => {
    const refusal = await at(skewS).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(VerificationError);
    expect(refusal).toMatchObject({ code, skewSeconds: skewS });
  });
});
