import { type ProviderHttp, ProviderUnreachable } from '@tributary/providers';

/** The control routes of one of the sandbox's stand-ins. */
export class SandboxControl {
  constructor(
    private readonly http: ProviderHttp,
    private readonly url: string,
    private readonly provider: string,
  ) {}

  /** @returns the body; undefined when what was to be made is there already. @throws ProviderUnreachable */
  async send(method: 'POST' | 'PUT', path: string, body: unknown): Promise<Record<string, unknown> | undefined> {
    const reply = await this.http.send({
      method,
      url: `${this.url}/control/${this.provider}${path}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (reply.status === 409) return undefined;
    if (reply.status >= 300) throw new ProviderUnreachable(`sandbox_http_${reply.status}`);
    return JSON.parse(reply.body.toString('utf8')) as Record<string, unknown>;
  }

  /** A person who agrees to all at once. @returns what the provider sends them back with. @throws ProviderUnreachable */
  async agree(authorizeUrl: string, subjectId: string): Promise<URLSearchParams> {
    const url = new URL(authorizeUrl);
    url.searchParams.set('person', subjectId);
    const { status, headers } = await this.http.send({ method: 'GET', url: url.href });
    if (status < 300 || status > 399 || headers['location'] === undefined) throw new ProviderUnreachable(`sandbox_http_${status}`);
    return new URL(headers['location']).searchParams;
  }
}
