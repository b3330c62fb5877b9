import { describe, expect, it } from '@jest/globals';
import { memoryStore } from '../claim-store.memory.js';
import { type VerifiedEvent } from '../events.js';
import { type Problem } from '../receiver-outcome.js';
import { createReceiver } from '../receiver.js';
import { exampleSecret, signedExample } from '../testing.js';
import { type FetchHandlerOptions, fetchHandler } from './fetch.js';

const otherSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function scene(options: FetchHandlerOptions = {}) {
  const seen: VerifiedEvent[] = [];
  const problems: Problem[] = [];
  const receiver = createReceiver({
    secrets: (endpoint) => (endpoint === 'second' ? otherSecret : exampleSecret),
    store: memoryStore(),
    handlers: { otherwise: (event) => void seen.push(event) },
    onProblem: (problem) => problems.push(problem),
  });
  return { handle: fetchHandler(receiver, options), seen, problems };
}

/** A body in pieces of so many bytes, which tells no length. */
function streamed(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

const requestOf = (url: string, init: RequestInit & { duplex?: 'half' }) => new Request(url, { method: 'POST', ...init });
const url = 'https://receiver.example/webhooks/tributary';

describe('the fetch handler', () => {
  it('joins a body that comes in pieces as bytes, whatever character they cut', async () => {
    const { handle, seen } = scene();
    const { headers, body } = await signedExample('endpoint.test', { secret: exampleSecret, data: { message: 'Ranní běh 🏃‍♀️' } });
    for (const size of [1, 7, body.length]) {
      const response = await handle(requestOf(url, { headers, body: streamed(body, size), duplex: 'half' }));
      expect([response.status, await response.text()]).toEqual([204, '']);
    }
    expect(seen.map(({ data }) => (data as { message: string }).message)).toEqual(['Ranní běh 🏃‍♀️']);
  });

  it.each(['GET', 'PUT', 'DELETE'])('answers %s with 405 and what is allowed', async (method) => {
    const response = await scene().handle(new Request(url, { method }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('stops reading a body that is too large, told or untold', async () => {
    const { headers, body } = await signedExample('endpoint.test', { secret: exampleSecret });
    const { handle, problems } = scene({ maxBodyBytes: body.length - 1 });
    let pulled = 0;
    const endless = new ReadableStream({ pull: (controller) => (pulled++, controller.enqueue(new Uint8Array(50))) });
    expect((await handle(requestOf(url, { headers, body: endless, duplex: 'half' }))).status).toBe(413);
    expect(pulled).toBeLessThan(body.length);
    expect((await handle(requestOf(url, { headers: { ...headers, 'content-length': String(body.length) }, body }))).status).toBe(413);
    expect(problems).toEqual([]);
    expect((await scene({ maxBodyBytes: body.length }).handle(requestOf(url, { headers, body }))).status).toBe(204);
  });

  it('names the mistake when something read the body before', async () => {
    const { handle, problems } = scene();
    const { headers, body } = await signedExample('endpoint.test', { secret: exampleSecret });
    const request = requestOf(url, { headers, body });
    await request.json();
    const response = await handle(request);
    expect([response.status, await response.text()]).toEqual([500, '{"code":"misconfigured"}']);
    expect(problems).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: 'body_not_bytes' }) })]);
  });

  it('takes an empty body for what it is', async () => {
    const response = await scene().handle(new Request(url, { method: 'POST' }));
    expect([response.status, await response.text()]).toEqual([400, '{"code":"missing_header"}']);
  });

  it('serves several endpoints, each under its own secret', async () => {
    const { handle, seen } = scene({ endpointOf: (request) => new URL(request.url).pathname.slice(1) });
    for (const [path, secret, status] of [
      ['first', exampleSecret, 204],
      ['second', otherSecret, 204],
      ['second', exampleSecret, 400],
      ['first', exampleSecret, 204],
    ] as const) {
      const { headers, body } = await signedExample('endpoint.test', { secret, id: 'evt_1' });
      expect((await handle(requestOf(`https://receiver.example/${path}`, { headers, body }))).status).toBe(status);
    }
    expect(seen).toHaveLength(2);
  });
});
