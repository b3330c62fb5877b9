import { type IncomingMessage, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** The part of Oura that connecting needs, over real HTTP: codes to tokens, tokens to persons, subscriptions. */
export interface StandInOura {
  /** For TRIBUTARY_SANDBOX_URL. */
  readonly url: string;
  /** What a code is good for, once. `scope` as the person granted it. */
  readonly codes: Map<string, { subjectId: string; scope?: string }>;
  /** Whose each access token is. */
  readonly tokens: Map<string, string>;
  /** Form fields of every token call. */
  readonly tokenCalls: Record<string, string>[];
  readonly subscriptions: Record<string, string>[];
  /** Answers everything with this status while set. */
  failWith: number | undefined;
  /** Runs before the next answer, which waits for it. */
  before: (() => Promise<void>) | undefined;
  stop(): Promise<void>;
}

export async function startStandInOura(client: { id: string; secret: string }): Promise<StandInOura> {
  const people = new Map<string, string>();
  const stand: Omit<StandInOura, 'url' | 'stop'> = {
    codes: new Map(),
    tokens: people,
    tokenCalls: [],
    subscriptions: [],
    failWith: undefined,
    before: undefined,
  };
  const server = createServer((request, reply) => {
    void answer(request).then(({ status, body }) => {
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { pathname } = new URL(request.url ?? '', 'http://stand-in');
    const { before } = stand;
    stand.before = undefined;
    await before?.();
    if (stand.failWith !== undefined) return { status: stand.failWith, body: {} };
    if (request.method === 'POST' && pathname === '/oura/oauth/token') {
      const form = Object.fromEntries(new URLSearchParams(text));
      stand.tokenCalls.push(form);
      const granted = stand.codes.get(form['code'] ?? '');
      stand.codes.delete(form['code'] ?? '');
      if (form['client_id'] !== client.id || form['client_secret'] !== client.secret)
        return { status: 401, body: { error: 'invalid_client' } };
      if (granted === undefined || form['redirect_uri'] !== 'http://api.example/connect/callback')
        return { status: 400, body: { error: 'invalid_grant' } };
      const token = `access-${people.size}-${granted.subjectId}`;
      people.set(token, granted.subjectId);
      return {
        status: 200,
        body: { access_token: token, refresh_token: `refresh-${token}`, expires_in: 3600, scope: granted.scope ?? 'personal daily' },
      };
    }
    if (pathname === '/oura/v2/usercollection/personal_info') {
      const id = people.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
      return id === undefined ? { status: 401, body: {} } : { status: 200, body: { id } };
    }
    if (pathname === '/oura/v2/webhook/subscription') {
      if (request.headers['x-client-id'] !== client.id || request.headers['x-client-secret'] !== client.secret)
        return { status: 403, body: {} };
      if (request.method === 'GET') return { status: 200, body: stand.subscriptions };
      const one = {
        id: String(stand.subscriptions.length),
        ...(JSON.parse(text) as Record<string, string>),
        expiration_time: '2099-01-01T00:00:00',
      };
      stand.subscriptions.push(one);
      return { status: 201, body: one };
    }
    return { status: 404, body: {} };
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return Object.assign(stand, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
