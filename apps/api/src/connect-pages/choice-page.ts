import type { Provider } from '@tributary/providers';
import { isPermitted } from '@tributary/providers';
import type { Connectable, EndedConsent } from '@tributary/storage';
import type { Language } from './languages.js';
import { type Html, type Page, html } from './page.js';
import { type Kind, type Words, wordsOf } from './words.js';

export interface Choice {
  readonly language: Language;
  readonly tenantName: string;
  /** Those that can be chosen, each with its adapter. */
  readonly offers: readonly (Pick<Connectable, 'status'> & { readonly provider: Pick<Provider, 'id' | 'name'> })[];
  /** What the person comes back from, with its adapter; undefined: they have just come. */
  readonly last: (EndedConsent & { readonly adapter: Pick<Provider, 'name' | 'collections'> }) | undefined;
  /** What the link holds, for the forms. */
  readonly token: string;
  readonly returns: boolean;
}

/** The list of services, each with a form of its own. */
export function choicePage({ language, tenantName, offers, last, token, returns }: Choice): Page {
  const words = wordsOf[language];
  const title = words.title(tenantName);
  const list = offers.length === 0 ? html`<p>${words.none}</p>` : html`<ul>${offers.map((offer) => offerOf(words, offer, token))}</ul>`;
  return {
    language,
    title,
    main: html`<h1>${title}</h1>${last === undefined ? html`` : toldOf(words, last)}<p>${words.intro(tenantName)}</p>
<section aria-labelledby="services"><h2 id="services">${words.services}</h2>${list}</section>
<footer><form method="post" action="page/end?link=${token}"><button class="quiet">${returns ? words.back(tenantName) : words.done}</button></form></footer>`,
  };
}

function offerOf(words: Words, { provider, status }: Choice['offers'][number], token: string): Html {
  const held = status === 'active' || status === 'reauth_required' || status === 'revoked';
  const state = status === 'active' ? words.state.active : held ? words.state.ended : '';
  const name = html`<div><strong>${provider.name}</strong>${state === '' ? html`` : html`<span>${state}</span>`}</div>`;
  const button = html`<button name="provider" value="${provider.id}"${status === 'active' ? html` class="quiet"` : html``}>${
    held ? words.again(provider.name) : words.connect(provider.name)
  }</button>`;
  return html`<li>${name}<form method="post" action="page?link=${token}">${button}</form></li>`;
}

function toldOf(words: Words, last: NonNullable<Choice['last']>): Html {
  const { name } = last.adapter;
  if (last.is === 'denied') return html`<div class="told" role="status"><p>${words.denied(name)}</p></div>`;
  if (last.is === 'failed') {
    const code = last.code ?? 'internal';
    const reason = Object.hasOwn(words.reasons, code) ? (words.reasons[code] as string) : words.reasons.other;
    return html`<div class="told" role="alert"><p>${words.failed(name)}</p><p>${reason}</p><p>${words.code}: <code>${code}</code></p></div>`;
  }
  const missing = missingKinds(last.adapter, last.scopes ?? []);
  const said = missing.length === 0 ? words.connected(name) : words.partly(name, missing.map((kind) => words.kinds[kind]).join(', '));
  return html`<div class="told" role="status"><p>${said}</p></div>`;
}

/** Kinds of records of which nothing, or not all, may be read. */
export function missingKinds(provider: Pick<Provider, 'collections'>, scopes: readonly string[]): Kind[] {
  const missing = Object.entries(provider.collections).flatMap(([name, { holds }]) => (isPermitted(provider, name, scopes) ? [] : [holds]));
  return [...new Set(missing)];
}
