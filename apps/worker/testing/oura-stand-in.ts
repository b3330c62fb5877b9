import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown };

/**
 * Oura as far as the worker sees it, over real HTTP: documents by id, lists by day, rotating refresh tokens that die when one is used
 * twice. Deliberately small; the full one is apps/sandbox.
 */
export class OuraStandIn {
  /** By collection and id. */
  readonly documents = new Map<string, Record<string, unknown>>();
  readonly calls = { object: 0, list: 0, refresh: 0, revoke: 0, secretsSeen: new Set<string>(), listQueries: [] as string[] };
  /** Access tokens that are honoured; empty: every one. */
  readonly honoured = new Set<string>();
  /** What the answer to a refresh says that it is for; undefined: nothing. */
  scope: string | undefined;
  /** The refresh token that is good; undefined: every one. Any other kills the grant. */
  refreshToken: string | undefined;
  grantDead = false;
  expiresInS = 3600;
  /** Instead of what the token endpoint would answer. */
  tokenAnswer: Answer | undefined;
  pageSize = 100;
  /** Answers the next reads instead of the documents; after `times` of them the documents again. */
  fault: { answer: Answer; times: number } | undefined;
  /** Awaited before a read is answered, after it was decided what the answer is. */
  beforeAnswer: ((path: string) => Promise<void>) | undefined;
  /** Refreshes under way at the same moment, at most. */
  mostRefreshes = 0;

  readonly #server: Server;
  #refreshing = 0;
  #tokens = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<OuraStandIn> {
    const standIn = new OuraStandIn();
    await new Promise<void>((done) => standIn.#server.listen(0, '127.0.0.1', done));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  put(collection: string, document: Record<string, unknown>): void {
    this.documents.set(`${collection}/${String(document['id'])}`, document);
  }

  remove(collection: string, id: string): void {
    this.documents.delete(`${collection}/${id}`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const body = await readBody(request);
    const answer = await this.#answer(request, url, body);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  }

  async #answer(request: IncomingMessage, url: URL, body: string): Promise<Answer> {
    if (url.pathname === '/oura/oauth/token') return this.#token(new URLSearchParams(body));
    if (url.pathname === '/oura/oauth/revoke') {
      this.calls.revoke += 1;
      return { status: 200 };
    }
    const [, collection, id] = /^\/oura\/v2\/usercollection\/([^/]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    if (collection === undefined) return { status: 500 };
    if (id === undefined) {
      this.calls.list += 1;
      this.calls.listQueries.push(url.search);
    } else this.calls.object += 1;
    const answer = this.#read(request, { collection, id, url });
    await this.beforeAnswer?.(url.pathname);
    return answer;
  }

  #read(request: IncomingMessage, { collection, id, url }: { collection: string; id: string | undefined; url: URL }): Answer {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined || (this.honoured.size > 0 && !this.honoured.has(token))) return { status: 401 };
    if (this.fault && this.fault.times > 0) {
      this.fault.times -= 1;
      return this.fault.answer;
    }
    if (collection === 'personal_info') return { status: 200, body: { id: 'person-1' } };
    if (id !== undefined) {
      const document = this.documents.get(`${collection}/${decodeURIComponent(id)}`);
      return document ? { status: 200, body: structuredClone(document) } : { status: 404 };
    }
    const [from, to] = [url.searchParams.get('start_date') ?? '', url.searchParams.get('end_date') ?? ''];
    const all = [...this.documents].filter(
      ([key, { day }]) => key.startsWith(`${collection}/`) && String(day) >= from && String(day) <= to,
    );
    const at = Number(url.searchParams.get('next_token') ?? 0);
    const end = at + this.pageSize;
    return {
      status: 200,
      body: { data: all.slice(at, end).map(([, document]) => document), next_token: end < all.length ? String(end) : null },
    };
  }

  async #token(form: URLSearchParams): Promise<Answer> {
    this.calls.refresh += 1;
    this.calls.secretsSeen.add(form.get('client_secret') ?? '');
    this.#refreshing += 1;
    this.mostRefreshes = Math.max(this.mostRefreshes, this.#refreshing);
    await new Promise((done) => setTimeout(done, 5));
    this.#refreshing -= 1;
    if (this.tokenAnswer !== undefined) return this.tokenAnswer;
    if (this.grantDead || (this.refreshToken !== undefined && form.get('refresh_token') !== this.refreshToken)) {
      this.grantDead = true;
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    this.#tokens += 1;
    this.refreshToken = `refresh-${this.#tokens}`;
    this.honoured.clear();
    this.honoured.add(`access-${this.#tokens}`);
    return {
      status: 200,
      body: { access_token: `access-${this.#tokens}`, refresh_token: this.refreshToken, expires_in: this.expiresInS, scope: this.scope },
    };
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
