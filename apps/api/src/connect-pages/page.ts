import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Language } from './languages.js';

// Contrasts of text are 7:1 and more, of borders and the focus ring 3:1 and more, in both schemes.
const style = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #454d57; --page: #ffffff; --line: #6b7480; --act: #0b4f9c; --on: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #f2f4f6; --soft: #c4cbd3; --page: #15181c; --line: #8a94a0; --act: #9cc8ff; --on: #10233a; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 1.0625rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--page); }
main { max-width: 36rem; margin: 0 auto; padding: 2.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .75rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
ul { list-style: none; margin: 0; padding: 0; }
li { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between; padding: .9rem 0;
  border-top: 1px solid var(--line); }
li span { display: block; color: var(--soft); }
form { margin: 0; }
button { font: inherit; min-height: 2.75rem; padding: .45rem 1.1rem; border: 2px solid var(--act); border-radius: .5rem;
  background: var(--act); color: var(--on); cursor: pointer; }
button.quiet { background: transparent; color: var(--act); }
button:focus-visible { outline: 3px solid var(--text); outline-offset: 3px; }
.told { border: 2px solid var(--line); border-radius: .5rem; padding: .9rem 1rem; margin: 0 0 1.5rem; }
.told p:last-child { margin: 0; }
footer { margin-top: 2.5rem; }
code { color: var(--soft); }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

export interface Page {
  readonly language: Language;
  readonly title: string;
  /** Made of {@link html} alone, so nothing in it is unescaped. */
  readonly main: Html;
}

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

/** HTML of a template: what is put in is escaped unless it was made by this too. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(
    parts.reduce((text, part, n) => {
      const value = values[n - 1] as string | Html | readonly Html[];
      return text + shown(value) + part;
    }),
  );
}

function shown(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  return typeof value === 'string' ? escape(value) : value.map(({ text }) => text).join('');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

export function renderPage({ language, title, main }: Page): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escape(title)}</title><style>${style}</style></head>
<body><main>${main.text}</main></body></html>
`;
}

/**
 * Sends a page that runs no script, loads nothing and stands in no frame. Forms go to us, but the answer to one leads to a provider, which
 * may lead on to wherever people log in there, and browsers hold all of that against `form-action`.
 * @param plainOrigins those without TLS that a form may lead to: the sandbox, and return addresses on the developer's machine.
 */
export async function sendPage(reply: FastifyReply, status: number, page: Page, plainOrigins: readonly string[] = []): Promise<void> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${["'self'", 'https:', ...new Set(plainOrigins)].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  await reply
    .status(status)
    .headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-language': page.language,
    })
    .type('text/html; charset=utf-8')
    .send(renderPage(page));
}
