import { createLog } from '@tributary/service-shell';
import { openSandbox } from '../../apps/sandbox/src/open-sandbox.js';

export interface Answered<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON, undefined when it is empty. */
  readonly body: T;
}

export interface ProviderServer {
  /** `http://127.0.0.1:<port>`: what `TRIBUTARY_SANDBOX_URL` wants. */
  readonly url: string;
  /** Any request; a plain object goes as JSON, `URLSearchParams` as a form. */
  call<T = unknown>(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answered<T>>;
  /** A control call of Oura's stand-in. Throws when it is refused. */
  control<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  /** A control call of another provider's stand-in. Throws when it is refused. */
  controlOf(provider: string): ProviderServer['control'];
  stop(): Promise<void>;
}

/** The sandbox in this process, on a free port. @param clock epoch milliseconds, for tests that let time pass. */
export async function startProviders(clock?: () => number): Promise<ProviderServer> {
  const app = await openSandbox({ host: '127.0.0.1', port: 0, log: createLog('sandbox', 'silent'), ...(clock ? { clock } : {}) });
  const address = (app.getHttpServer() as { address(): { port: number } }).address();
  const url = `http://127.0.0.1:${address.port}`;

  async function call<T>(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered<T>> {
    const isForm = body instanceof URLSearchParams;
    const sent = new Headers(headers);
    if (body !== undefined && !isForm) sent.set('content-type', 'application/json');
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: sent,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
    return { status: answer.status, headers: answer.headers, body: (text === '' ? undefined : isJson ? JSON.parse(text) : text) as T };
  }

  const controlOf: ProviderServer['controlOf'] = (provider) =>
    async function control<T>(method: string, path: string, body?: object): Promise<T> {
      const answer = await call<T>(method, `/control/${provider}${path}`, body);
      if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };

  return { url, call, control: controlOf('oura'), controlOf, stop: () => app.close() };
}
