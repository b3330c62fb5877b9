import { describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { newBrowser, readBrowser, setBrowser } from './browser-cookie.js';
import { choicePage, missingKinds } from './choice-page.js';
import { openLink, sealLink } from './connect-link.js';
import { languageOf, languages } from './languages.js';
import { html, renderPage } from './page.js';
import { returnAddress } from './return-address.js';
import { wordsOf } from './words.js';

const ring = (n: number, more = '') => new KeyRing(`k${n}:${Buffer.alloc(32, n).toString('base64')}${more}`);
const link = { tenantId: 'ten_1', environment: 'test', id: 'ses_1' } as const;

describe('addresses of links', () => {
  it('open to the letter, with any key of the ring, and never twice alike', () => {
    const token = sealLink(ring(1), link);
    expect(openLink(ring(1), token)).toEqual(link);
    expect(openLink(ring(2, `,k1:${Buffer.alloc(32, 1).toString('base64')}`), token)).toEqual(link);
    expect(sealLink(ring(1), link)).not.toBe(token);
    expect(token).toMatch(/^[\w-]+$/);
  });

  it('do not open when a letter is changed, lost or added, nor for another ring or another purpose', () => {
    const token = sealLink(ring(1), link);
    for (let n = 0; n < token.length; n += 1) {
      const other = token[n] === 'A' ? 'B' : 'A';
      expect(openLink(ring(1), token.slice(0, n) + other + token.slice(n + 1))).toBeUndefined();
      expect(openLink(ring(1), token.slice(0, n))).toBeUndefined();
    }
    for (const added of ['A', '=', ' ', '\n']) expect(openLink(ring(1), token + added)).toBeUndefined();
    expect(openLink(ring(3), token)).toBeUndefined();
    const cursor = ring(1).seal('["ten_1","test","ses_1"]', 'cursor').toString('base64url');
    expect(openLink(ring(1), cursor)).toBeUndefined();
    const shape = ring(1).seal('["ten_1","prod","ses_1"]', 'connect-link').toString('base64url');
    expect(openLink(ring(1), shape)).toBeUndefined();
  });
});

describe('the cookie', () => {
  it('is read among others, and not when it is planted twice or of another make', () => {
    const [mine, other] = [newBrowser(), newBrowser()];
    expect(readBrowser(`a=b; tributary_connect=${mine}; c=d`)).toBe(mine);
    for (const header of [undefined, '', 'tributary_connect=', `tributary_connect=${mine}x`, `x_tributary_connect=${mine}`])
      expect(readBrowser(header)).toBeUndefined();
    expect(readBrowser(`tributary_connect=${mine}; tributary_connect=${other}`)).toBeUndefined();
  });

  it('is only for us, and over TLS where we have it', () => {
    expect(setBrowser('v', true)).toBe('tributary_connect=v; Path=/connect; Max-Age=86400; HttpOnly; SameSite=Lax; Secure');
    expect(setBrowser('v', false)).not.toContain('Secure');
  });
});

describe('pages', () => {
  it('escape whatever is put in, also in attributes, and keep what is HTML already', () => {
    const evil = `"><script>alert('x')</script>&`;
    const page = renderPage({ language: 'en', title: evil, main: html`<p title="${evil}">${evil}${html`<b>ours</b>`}</p>` });
    expect(page).not.toContain('<script');
    expect(page).toContain('<b>ours</b>');
    expect(page.match(/&quot;&gt;&lt;script&gt;alert\(&#39;x&#39;\)&lt;\/script&gt;&amp;/g)).toHaveLength(3);
  });

  it.each(languages)('say every end in words, and never a code of ours that has none: %s', (language) => {
    const provider = { id: 'oura', name: 'Oura', collections: {} };
    const of = (code: string | null) =>
      choicePage({
        language,
        tenantName: 'T',
        offers: [{ provider, status: null }],
        last: { provider: 'oura', is: 'failed', code, connectionId: null, scopes: null, adapter: provider },
        token: 'tok',
        returns: true,
      }).main.text;
    const words = wordsOf[language];
    expect(of('subject_mismatch')).toContain(words.reasons['subject_mismatch']);
    for (const code of ['unheard_of', 'constructor', null]) expect(of(code)).toContain(words.reasons.other);
    expect(of('x')).toContain('action="page?link=tok"');
    const told = Object.values(words.told);
    expect(new Set(told.map(({ title }) => title)).size).toBe(told.length);
    for (const { what, todo } of told) expect([what.length > 20, todo.length > 20]).toEqual([true, true]);
  });

  it('name what may not be read, each kind once', () => {
    const facts = (scope: string, holds: 'daily' | 'sleep') => ({ scope, holds, byDays: true });
    const provider = { collections: { a: facts('one', 'daily'), b: facts('two', 'sleep'), c: facts('two', 'sleep') } };
    expect(missingKinds(provider, ['one'])).toEqual(['sleep']);
    expect(missingKinds(provider, ['one', 'two'])).toEqual([]);
  });

  it('an unknown language is English', () => {
    expect(['de', 'en', 'xx', '', '__proto__'].map(languageOf)).toEqual(['de', 'en', 'en', 'en', 'en']);
  });

  it('the way back keeps what the customer put there, and says how it ended', () => {
    const back = (end: Parameters<typeof returnAddress>[2]) => returnAddress('https://c.example/x?status=mine&k=1#f', 'ses_1', end);
    expect(back({ is: 'failed', code: 'gone', connectionId: undefined })).toBe(
      'https://c.example/x?status=failed&k=1&connectSessionId=ses_1&code=gone#f',
    );
  });
});
