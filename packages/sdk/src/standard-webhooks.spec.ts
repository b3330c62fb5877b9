import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signedRequest } from './testing.js';
import { verifySignature } from './verify.js';

const secret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
// Well-formed text only: the reference library turns bodies into text first, so on other bytes it is wrong.
const json = fc.json({ stringUnit: 'grapheme' });

describe('the reference library of Standard Webhooks', () => {
  it('verifies what we sign', async () => {
    await fc.assert(
      fc.asyncProperty(secret, id, json, async (key, messageId, body) => {
        const { headers } = await signedRequest({ secret: key, id: messageId, at: new Date(), body });
        expect(new Webhook(key).verify(body, headers)).toEqual(JSON.parse(body));
      }),
      { numRuns: 60 },
    );
  });
  it('signs what we verify', async () => {
    await fc.assert(
      fc.asyncProperty(secret, id, json, async (key, messageId, body) => {
        const at = new Date();
        const headers = {
          'webhook-id': messageId,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': new Webhook(key).sign(messageId, at, body),
        };
        expect((await verifySignature(body, headers, key)).body).toEqual(new Uint8Array(Buffer.from(body)));
      }),
      { numRuns: 60 },
    );
  });
  it('agrees with us on every request that has one character changed', async () => {
    await fc.assert(
      fc.asyncProperty(secret, json, fc.nat(), fc.constantFrom('a', 'Z', '0', ' ', '+'), async (key, body, position, character) => {
        const { headers } = await signedRequest({ secret: key, id: 'evt_1', at: new Date(), body });
        const signature = headers['webhook-signature'];
        const at = 3 + (position % (signature.length - 3));
        const changed = { ...headers, 'webhook-signature': signature.slice(0, at) + character + signature.slice(at + 1) };
        let theirs = true;
        try {
          new Webhook(key).verify(body, changed);
        } catch {
          theirs = false;
        }
        const ours = await verifySignature(body, changed, key, { explain: false }).then(
          () => true,
          () => false,
        );
        expect(ours).toBe(theirs);
      }),
      { numRuns: 100 },
    );
  });
});
