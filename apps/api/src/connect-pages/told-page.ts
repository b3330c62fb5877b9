import type { Language } from './languages.js';
import { type Page, html } from './page.js';
import { type ToldCode, wordsOf } from './words.js';

/** A page with nothing to choose: what happened, what to do, and what to say to whoever helps. */
export function toldPage(language: Language, code: ToldCode, requestId: string): Page {
  const words = wordsOf[language];
  const { title, what, todo } = words.told[code];
  return {
    language,
    title,
    main: html`<h1>${title}</h1><p>${what}</p><p>${todo}</p><footer><p>${words.code}: <code>${code} ${requestId}</code></p></footer>`,
  };
}
