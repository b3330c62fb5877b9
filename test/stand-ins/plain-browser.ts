/** What a browser without JavaScript shows. */
export interface ShownPage {
  readonly status: number;
  /** As the address bar says. */
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
  /** Words alone, as they are read. */
  readonly text: string;
}

interface Form {
  readonly method: string;
  readonly action: string;
  readonly inner: string;
}

/**
 * Follows redirects, keeps cookies, fills in and sends forms: what connecting needs of a browser, over real HTTP.
 * Addresses of `hosts` are dialled elsewhere, as a resolver would have it.
 */
export class PlainBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  page: ShownPage = { status: 0, url: 'about:blank', headers: new Headers(), html: '', text: '' };
  /** Every address that it was led to. */
  readonly visited: string[] = [];

  /** @param hosts origin → where it is found. @param stopAt origins that are only noted, since nobody is there. */
  constructor(
    private readonly hosts: Readonly<Record<string, string>>,
    private readonly stopAt: readonly string[] = [],
    private readonly keepsCookies = true,
  ) {}

  async open(url: string, init: { method?: string; body?: URLSearchParams } = {}): Promise<ShownPage> {
    let at = { url, ...init };
    for (let hops = 0; hops < 10; hops += 1) {
      this.visited.push(at.url);
      const { origin } = new URL(at.url);
      if (this.stopAt.includes(origin)) return (this.page = { status: 0, url: at.url, headers: new Headers(), html: '', text: '' });
      const jar = this.#cookies.get(origin) ?? new Map<string, string>();
      const reply = await fetch(at.url.replace(origin, this.hosts[origin] ?? origin), {
        method: at.method ?? 'GET',
        redirect: 'manual',
        headers: { accept: 'text/html', ...(jar.size > 0 && { cookie: [...jar].map((pair) => pair.join('=')).join('; ') }) },
        ...(at.body !== undefined && { body: at.body }),
      });
      for (const cookie of this.keepsCookies ? reply.headers.getSetCookie() : []) {
        const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
        this.#cookies.set(origin, jar.set(name, value));
      }
      const location = reply.headers.get('location');
      const html = await reply.text();
      if (location === null) return (this.page = { status: reply.status, url: at.url, headers: reply.headers, html, text: textOf(html) });
      at = { url: new URL(location, at.url).href };
    }
    throw new Error('led round in a circle');
  }

  /** Presses the button of these words, with what its form holds; `change` unticks, picks or adds fields. */
  async press(words: string, change: (fields: URLSearchParams) => void = () => undefined): Promise<ShownPage> {
    for (const form of formsOf(this.page.html)) {
      const button = [...form.inner.matchAll(/<button([^>]*)>([\s\S]*?)<\/button>/g)].find(([, , inner]) => textOf(inner ?? '') === words);
      if (button === undefined) continue;
      const fields = new URLSearchParams();
      for (const [, attributes = ''] of form.inner.matchAll(/<input([^>]*)>/g)) {
        const type = attribute(attributes, 'type');
        if ((type === 'radio' || type === 'checkbox') && !/ checked/.test(attributes)) continue;
        fields.append(attribute(attributes, 'name') ?? '', attribute(attributes, 'value') ?? '');
      }
      const name = attribute(button[1] ?? '', 'name');
      if (name !== undefined) fields.append(name, attribute(button[1] ?? '', 'value') ?? '');
      change(fields);
      return this.open(new URL(form.action, this.page.url).href, { method: form.method.toUpperCase(), body: fields });
    }
    throw new Error(`There is no button "${words}" on ${this.page.url}: ${this.page.text}`);
  }
}

function formsOf(html: string): Form[] {
  return [...html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].map(([, attributes = '', inner = '']) => ({
    method: attribute(attributes, 'method') ?? 'get',
    action: attribute(attributes, 'action') ?? '',
    inner,
  }));
}

function attribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? undefined : unescape(value);
}

function textOf(html: string): string {
  const words = html.replaceAll(/<(style|title)>[\s\S]*?<\/\1>/g, ' ').replaceAll(/<[^>]*>/g, ' ');
  return unescape(words).replaceAll(/\s+/g, ' ').trim();
}

function unescape(text: string): string {
  const named: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => named[entity] ?? entity);
}
