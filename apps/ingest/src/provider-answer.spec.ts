import { describe, expect, it } from '@jest/globals';
import { providerAnswer } from './provider-answer.js';

describe('the answer to a provider', () => {
  it('is the adapter’s own when it accepts, to the byte', () => {
    const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' };
    expect(providerAnswer({ answer, counted: 'new' })).toBe(answer);
    expect(providerAnswer({ answer: { status: 204 }, counted: 'duplicate' })).toEqual({ status: 204 });
  });

  it('says in JSON why it refuses, with a stable code, and keeps the adapter’s headers', () => {
    expect(providerAnswer({ answer: { status: 401 }, counted: 'refused', code: 'timestamp_stale' })).toMatchObject({
      status: 401,
      headers: { 'content-type': 'application/json' },
      body: expect.stringContaining('"code":"timestamp_stale"'),
    });
    expect(
      providerAnswer({ answer: { status: 503, headers: { 'retry-after': '5' } }, counted: 'unavailable', code: 'late' }),
    ).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: expect.stringContaining('"code":"storage_unavailable"') });
  });

  it('leaves a refusal alone for which the adapter has its own words', () => {
    const answer = { status: 400, body: 'no' };
    expect(providerAnswer({ answer, counted: 'refused', code: 'handshake' })).toBe(answer);
  });
});
