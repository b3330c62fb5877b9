import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { AppForVerification, InboundProvider, RawRequest } from '@tributary/providers';
import { sameText } from '../../../packages/providers/src/signature/constant-time.js';
import type { DeliveryBook } from './accept-webhook.js';
import type { KnownApp } from './app-directory.js';
import { webhookRoutes } from './webhook-routes.js';

// doubles: an adapter that shakes hands as Fitbit does (it is not among ours yet), and a book that holds one app.  oracles: answers, marks.

/** Two GETs with `?verify=`: the right code wants 204, the wrong one 404. Deliveries want 204, and 404 for a bad signature. */
const fitbitLike: InboundProvider = {
  id: 'fitbit',
  name: 'Fitbit',
  facts: { maxBodyBytes: 1024, answerDeadlineMs: 5_000, retryHorizonMs: null, grade: 'signed' },
  docs: { signature: '-', handshake: '-', deliveryId: '-', retries: '-', limits: '-', uncertain: [] },
  classify: ({ method }) => (method === 'GET' ? 'handshake' : method === 'POST' ? 'delivery' : 'unsupported'),
  handshake: ({ query }: RawRequest, app: AppForVerification) => {
    const given = query.getAll('verify');
    const wanted = app.secrets.find(({ purpose }) => purpose === 'verification_token')?.value;
    return { status: given.length === 1 && wanted !== undefined && sameText(given[0] ?? '', wanted) ? 204 : 404 };
  },
  verify: () => ({ ok: false, code: 'signature_mismatch' }),
  notices: () => ({ deliveryId: { value: 'x', kind: 'reopenable' }, notices: [] }),
  answer: (outcome) => ({ status: outcome === 'accepted' ? 204 : 404 }),
  redact: (body) => body,
};

const open: FastifyAdapter[] = [];
afterEach(async () => {
  for (const adapter of open.splice(0)) await adapter.close();
});

async function server() {
  const shaken: string[] = [];
  const app: KnownApp = {
    tenantId: 'ten',
    environment: 'test',
    id: 'app',
    provider: 'fitbit',
    state: 'pending',
    hasSealedSecret: false,
    acceptsCarried: false,
    forVerification: () => ({ clientId: 'c', toleranceMs: 0, secrets: [{ id: 's', purpose: 'verification_token', value: 'right' }] }),
  };
  const never = () => Promise.reject(new Error('not to be called'));
  const book: DeliveryBook = {
    findApp: async (appKey) => (appKey === 'key' ? app : undefined),
    markHandshaken: async ({ id }) => void shaken.push(id),
    activate: never,
    accept: never,
    noteUnreadable: never,
  };
  const adapter = new FastifyAdapter();
  const counted: unknown[] = [];
  webhookRoutes(adapter.getInstance(), {
    accept: {
      book,
      oweResolve: () => undefined,
      oweLeftover: () => undefined,
      subjectHashes: () => [],
      sealCallback: () => Buffer.alloc(0),
      clock: () => 0,
      remoteKeys: { current: never, renewed: never },
    },
    providers: [fitbitLike],
    onFault: (_provider, error) => {
      throw error;
    },
    count: (provider, { counted: outcome }) => void counted.push([provider, outcome]),
  });
  await adapter.init();
  await new Promise<void>((resolve) => adapter.listen(0, '127.0.0.1', () => resolve()));
  const origin = `http://127.0.0.1:${(adapter.getHttpServer().address() as AddressInfo).port}`;
  open.push(adapter);
  return {
    shaken,
    counted,
    async ask(query: string, method: 'GET' | 'POST' = 'GET') {
      const reply = await fetch(`${origin}/in/fitbit/key${query}`, { method, headers: { connection: 'close' } });
      return { status: reply.status, body: await reply.text() };
    },
  };
}

describe('the route of a provider', () => {
  it.each([
    ['the right code', '?verify=right', 204],
    ['a wrong code', '?verify=wrong', 404],
    ['no code', '', 404],
    ['an empty code', '?verify=', 404],
    ['the right code twice', '?verify=right&verify=right', 404],
    ['the right code and a wrong one', '?verify=right&verify=wrong', 404],
  ])('C015: lets an adapter answer %s in its own way', async (_what, query, status) => {
    const { ask, shaken, counted } = await server();
    const reply = await ask(query);
    expect(reply.status).toBe(status);
    if (status === 204) expect(reply.body).toBe('');
    expect(shaken).toEqual(status === 204 ? ['app'] : []);
    expect(counted).toEqual([['fitbit', status === 204 ? 'handshake' : 'refused']]);
  });

  it('C015: lets it refuse a delivery with 404 too, as Fitbit wants a bad signature answered', async () => {
    const { ask, shaken } = await server();
    expect((await ask('', 'POST')).status).toBe(404);
    expect(shaken).toEqual([]);
  });
});
