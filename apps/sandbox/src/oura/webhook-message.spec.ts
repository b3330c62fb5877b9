import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { forgedPost } from '../forged-post.js';
import { microsecondTime, ouraSignature, signedPost, signing, webhookBody } from './webhook-message.js';

const facts = {
  eventType: 'create',
  dataType: 'sleep',
  objectId: 'b7a1f0c2-5a3e-4c55-9f0e-2f1f0f6d8e11',
  eventTime: '2026-09-15T06:05:00.431000+00:00',
  subjectId: '0f9d3c7a51e24b0d9a77f1ce0042aa10',
} as const;
const now = 1_789_452_300_900;
const keys = { secret: 'right', otherSecret: 'wrong' };

describe('a webhook of Oura', () => {
  it("has the fields in Oura's order and spelling", () => {
    expect(webhookBody(facts).toString()).toBe(
      '{"event_type":"create","data_type":"sleep","object_id":"b7a1f0c2-5a3e-4c55-9f0e-2f1f0f6d8e11",' +
        '"event_time":"2026-09-15T06:05:00.431000+00:00","user_id":"0f9d3c7a51e24b0d9a77f1ce0042aa10"}',
    );
  });

  it('is signed as a message recorded elsewhere was', () => {
    const body = webhookBody(facts);
    expect(ouraSignature('made-up-oura-secret', '1789452300', body)).toBe(
      '9C5E0CBCCCE89A9506528B8EDA7D322A45CD84EA8D9C8217B5C4BECFED44D693',
    );
    expect(signedPost(body, 'made-up-oura-secret', now).headers['x-oura-timestamp']).toBe('1789452300');
  });

  const proves = ({ headers, body }: ReturnType<typeof signedPost>, secret: string) =>
    headers['x-oura-signature'] ===
    createHmac('sha256', secret).update(`${headers['x-oura-timestamp']}${body.toString()}`).digest('hex').toUpperCase();

  it('can be forged in each way, and each way differs from a right one in what it says', () => {
    const body = webhookBody(facts);
    expect(proves(signedPost(body, 'right', now), 'right')).toBe(true);

    const signature = forgedPost('signature', body, signing, keys, now);
    expect([proves(signature, 'right'), signature.headers['x-oura-signature']?.length]).toEqual([false, 64]);

    const altered = forgedPost('body', body, signing, keys, now);
    expect(proves(altered, 'right')).toBe(false);
    expect(JSON.parse(altered.body.toString())).toEqual({
      ...(JSON.parse(body.toString()) as object),
      object_id: 'b7a1f0c2-5a3e-4c55-9f0e-2f1f0f6d8e10',
    });

    expect(forgedPost('none', body, signing, keys, now).headers).toEqual({ 'content-type': 'application/json' });
    expect(forgedPost('truncated', body, signing, keys, now).headers['x-oura-signature']).toHaveLength(32);

    for (const [forgery, shiftS] of [
      ['stale', -3600],
      ['future', 3600],
    ] as const) {
      const shifted = forgedPost(forgery, body, signing, keys, now);
      expect([proves(shifted, 'right'), Number(shifted.headers['x-oura-timestamp'])]).toEqual([true, 1_789_452_300 + shiftS]);
    }

    const notJson = forgedPost('not-json', body, signing, keys, now);
    expect(proves(notJson, 'right')).toBe(true);
    expect(() => JSON.parse(notJson.body.toString()) as unknown).toThrow(SyntaxError);

    const oversized = forgedPost('oversized', body, signing, keys, now);
    expect([proves(oversized, 'right'), oversized.body.length > 3_000_000]).toEqual([true, true]);
  });

  it('writes times to the microsecond', () => {
    expect(microsecondTime(1_789_452_300_431_007)).toBe('2026-09-15T06:05:00.431007+00:00');
    expect(microsecondTime(1_789_452_300_000_000)).toBe('2026-09-15T06:05:00.000000+00:00');
  });
});
