import { Body, Controller, Get, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Scope } from '@tributary/domain';
import { type Provider, originsOf } from '@tributary/providers';
import { PublicRoute } from '@tributary/service-shell';
import {
  type ConnectLink,
  type Connectable,
  bindConnectLink,
  chooseProviderApp,
  endConnectLink,
  findConnectLink,
  findLastConsent,
  listConnectable,
} from '@tributary/storage';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { problemOf } from '../answers/problem-of.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { prepareConsent, storeConsent } from './begin-consent.js';
import { hashBrowser, newBrowser, readBrowser, setBrowser } from './browser-cookie.js';
import { choicePage } from './choice-page.js';
import { openLink } from './connect-link.js';
import { type Language, languageOf } from './languages.js';
import { sendPage } from './page.js';
import { returnAddress } from './return-address.js';
import { toldPage } from './told-page.js';
import type { ToldCode } from './words.js';

const statusOf: Readonly<Record<ToldCode, number>> = {
  tampered: 400,
  state_invalid: 400,
  cookies: 400,
  not_offered: 400,
  gone: 404,
  used: 409,
  expired: 410,
  finished: 410,
  too_many: 429,
  failed: 500,
};

/** Nothing can be done, and this is what the person reads. */
class Told extends Error {
  constructor(
    readonly language: Language,
    readonly code: ToldCode,
  ) {
    super(code);
  }
}

interface OpenedLink extends ConnectLink {
  readonly scope: Scope;
}

/**
 * The page that a link leads to. Public: what opens it is the sealed address, and from the first choice on the browser's cookie too.
 * Looking changes nothing, since programs that preview messages look as well.
 */
@ApiExcludeController()
@PublicRoute()
@Controller('connect/page')
export class ConnectPagesController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  async show(@Query('link') token: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#answer(request, reply, async () => {
      const link = await this.#open(token, request);
      const { scope } = link;
      const offers = await this.#offers(link);
      const last = await findLastConsent(this.context.pool, scope, link.id);
      const adapter = last && this.context.providers.get(last.provider);
      if (readBrowser(request.headers.cookie) === undefined) void reply.header('set-cookie', this.#cookie(newBrowser()));
      const page = choicePage({
        language: languageOf(link.language),
        tenantName: link.tenantName,
        offers,
        last: last && adapter && { ...last, adapter },
        token: String(token),
        returns: link.returnUrl !== null,
      });
      await sendPage(reply, 200, page, this.#plainOrigins(link, offers));
    });
  }

  @Post()
  async choose(
    @Query('link') token: unknown,
    @Body() form: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#answer(request, reply, async () => {
      const link = await this.#open(token, request);
      const { scope } = link;
      const language = languageOf(link.language);
      const chosen = form instanceof URLSearchParams ? form.get('provider') : null;
      const offer = (await this.#offers(link)).find(({ provider }) => provider.id === chosen);
      const app = offer && (await chooseProviderApp(this.context.pool, scope, offer.provider.id));
      if (offer === undefined || app === undefined) throw new Told(language, 'not_offered');
      const browserHash = await this.#bind(link, request);
      const consent = await prepareConsent(this.context, scope, offer.provider, app);
      await storeConsent(this.context.pool, { ...scope, linkId: link.id, userId: link.userId, browserHash, returnUrl: undefined }, consent);
      await this.#lead(reply, consent.authorizeUrl);
    });
  }

  @Post('end')
  async end(@Query('link') token: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#answer(request, reply, async () => {
      const link = await this.#open(token, request);
      await this.#bind(link, request);
      const last = await findLastConsent(this.context.pool, link.scope, link.id);
      await endConnectLink(this.context.pool, link.scope, link.id);
      if (link.returnUrl === null) return sendPage(reply, 200, toldPage(languageOf(link.language), 'finished', request.id));
      const { is, connectionId, code } = last ?? { is: 'unchanged' as const, connectionId: null, code: null };
      await this.#lead(
        reply,
        returnAddress(link.returnUrl, link.id, { is, connectionId: connectionId ?? undefined, code: code ?? undefined }),
      );
    });
  }

  /** @throws Told for a link that opens nothing, or not to this browser. */
  async #open(token: unknown, request: FastifyRequest): Promise<OpenedLink> {
    const named = typeof token === 'string' ? openLink(this.context.keys, token) : undefined;
    if (named === undefined) throw new Told(preferred(request), 'tampered');
    const found = await findConnectLink(this.context.pool, named, named.id);
    if (found === undefined) throw new Told(preferred(request), 'gone');
    const language = languageOf(found.language);
    if (found.ended) throw new Told(language, 'finished');
    if (found.expired) throw new Told(language, 'expired');
    const browser = readBrowser(request.headers.cookie);
    if (found.browserHash !== null && (browser === undefined || !hashBrowser(browser).equals(found.browserHash)))
      throw new Told(language, 'used');
    return { ...found, scope: { tenantId: named.tenantId, environment: named.environment } };
  }

  /** @throws Told when the browser keeps no cookie, or another one was first. */
  async #bind(link: OpenedLink, request: FastifyRequest): Promise<Buffer> {
    const language = languageOf(link.language);
    const browser = readBrowser(request.headers.cookie);
    if (browser === undefined) throw new Told(language, 'cookies');
    const hash = hashBrowser(browser);
    if (!(await bindConnectLink(this.context.pool, link.scope, link.id, hash))) throw new Told(language, 'used');
    return hash;
  }

  async #offers({ scope, userId, providers }: OpenedLink): Promise<readonly Offer[]> {
    const rows = await listConnectable(this.context.pool, scope, userId);
    return rows.flatMap(({ provider: id, ...row }) => {
      const provider = this.context.providers.get(id);
      const isWanted = providers === null || providers.includes(id);
      return provider === undefined || !isWanted ? [] : [{ ...row, provider }];
    });
  }

  #plainOrigins({ returnUrl }: OpenedLink, offers: readonly Offer[]): string[] {
    const authorize = offers.map(({ provider, sandbox }) => originsOf(provider, sandbox, this.context.sandboxUrl)?.authorize);
    return [...authorize, returnUrl].flatMap((url) => (url?.startsWith('http://') === true ? [new URL(url).origin] : []));
  }

  #cookie(value: string): string {
    return setBrowser(value, this.context.publicApiUrl.startsWith('https://'));
  }

  async #lead(reply: FastifyReply, url: string): Promise<void> {
    void reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    await reply.redirect(url, 303);
  }

  /** Whoever opens this page is no program: every failure is a page in words, with what to do. */
  async #answer(request: FastifyRequest, reply: FastifyReply, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof Told) return sendPage(reply, statusOf[error.code], toldPage(error.language, error.code, request.id));
      const code = codeOf(error);
      if (code === 'failed') this.context.log.error({ what: 'connect_page.failed', requestId: request.id, err: error });
      const status = problemOf(error).code === 'storage_unavailable' ? 503 : statusOf[code];
      await sendPage(reply, status, toldPage(preferred(request), code, request.id));
    }
  }
}

type Offer = Omit<Connectable, 'provider'> & { readonly provider: Provider };

function codeOf(error: unknown): ToldCode {
  const { code } = problemOf(error);
  return code === 'too_many_requests' ? 'too_many' : code === 'conflict' ? 'not_offered' : 'failed';
}

/** For pages of links that do not say. */
function preferred(request: FastifyRequest): Language {
  return languageOf((request.headers['accept-language'] ?? '').slice(0, 2).toLowerCase());
}
