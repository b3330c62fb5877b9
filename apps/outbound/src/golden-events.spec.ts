import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { eventTypes } from '@tributary/domain';
import { eventBody, eventSchemas } from '@tributary/handoffs';
import { Webhook } from 'standardwebhooks';
import { verify } from '../../../packages/sdk/src/verify.js';
import { signDelivery, signingKeys } from './sign-delivery.js';

// What leaves us, as it was written down once. doubles: the clock.  oracles: the file, the `standardwebhooks` package, and our SDK.
interface GoldenEvent {
  readonly type: (typeof eventTypes)[number];
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
  readonly v1: string;
  readonly v1a: string;
}
const golden = JSON.parse(readFileSync(new URL('../../../test/vectors/events.json', import.meta.url), 'utf8')) as {
  readonly secret: string;
  readonly asymmetricSecret: string;
  readonly publicKey: string;
  readonly events: readonly GoldenEvent[];
};
const headersOf = ({ id, timestamp }: GoldenEvent, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

it('every type of event has a golden vector, and one only', () => {
  expect(golden.events.map(({ type }) => type).sort()).toEqual([...eventTypes].sort());
});

describe.each(golden.events)('the golden $type', (event) => {
  const body = Buffer.from(event.body);
  const envelope = JSON.parse(event.body) as { type: string; timestamp: string; deliveryAttempt: number; data: object };
  beforeEach(() => void jest.useFakeTimers({ now: event.timestamp * 1_000, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());

  it('is what we write: the envelope around its data, and both signatures, to the byte', () => {
    expect(Object.keys(envelope)).toEqual(['type', 'timestamp', 'deliveryAttempt', 'data']);
    expect(envelope.type).toBe(event.type);
    const written = eventBody(event.type, new Date(envelope.timestamp), 1, Buffer.from(JSON.stringify(envelope.data)));
    expect(written.toString()).toBe(event.body);
    const content = { id: event.id, timestampS: event.timestamp, body };
    expect(signDelivery(content, signingKeys(golden.secret))).toBe(event.v1);
    expect(signDelivery(content, signingKeys(golden.asymmetricSecret))).toBe(event.v1a);
  });

  it('has data of the shape that is published', () => {
    expect(eventSchemas[event.type].parse(envelope.data)).toEqual(envelope.data);
  });

  it('is accepted by the standardwebhooks package, and not with one byte changed', () => {
    const headers = headersOf(event, `${event.v1a} ${event.v1}`);
    expect(new Webhook(golden.secret).verify(event.body, headers)).toEqual(envelope);
    expect(() => new Webhook(golden.secret).verify(`${event.body} `, headers)).toThrow('No matching signature found');
  });

  it.each([
    ['v1 by the secret', event.v1, golden.secret],
    ['v1a by the public key', event.v1a, golden.publicKey],
  ])('is accepted and read by the SDK, %s, and not with one byte changed', async (_scheme, signature, key) => {
    const options = { now: () => event.timestamp * 1_000 };
    const headers = headersOf(event, signature);
    expect(await verify(body, headers, key, options)).toMatchObject({ id: event.id, type: event.type, data: envelope.data });
    await expect(verify(Buffer.from(`${event.body} `), headers, key, options)).rejects.toMatchObject({ code: 'signature_mismatch' });
  });
});
