// doubles: none; the system's Chromium, the API on a database of its own, the stand-ins.
// oracles: what the browser itself says of roles, colours and refused content; rows.
// What is evaluated in the page is written here too.
/// <reference lib="dom" />
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../packages/storage/testing/seed.js';
import { findChromium } from './find-chromium.js';
import { type ProviderServer, startProviders } from './provider-server.js';

const executablePath = findChromium();
if (executablePath === undefined) {
  process.stdout.write('skipped: the connect page in Chromium, since this machine has none (set CHROMIUM_PATH, or install chromium)\n');
}
/** Slow machines start a browser slowly. */
const PATIENCE_MS = 240_000;
const PICTURE = new URL('../../docs/images/connect-page.png', import.meta.url);

(executablePath === undefined ? describe.skip : describe)('the connect page in Chromium', () => {
  let providers: ProviderServer;
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let browser: Browser;

  beforeAll(async () => {
    providers = await startProviders();
    api = await startApi(new KeyRing(TEST_KEYS), { TRIBUTARY_SANDBOX_URL: providers.url });
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    await api.db.pool.query(`update tenant set name = 'Vital & Fit <Clinic>' where id = $1`, [scope.tenantId]);
    for (const provider of ['oura', 'strava', 'withings']) {
      const client = { clientId: `${provider}-app`, clientSecret: 'secret' };
      await providers.controlOf(provider)('POST', '/apps', { ...client, redirectUris: ['http://api.example/connect/callback'] });
      await api.call('POST', '/v1/provider-apps', { key, body: { provider, ...client, sandbox: true } });
    }
    await providers.control('POST', '/people', { subjectId: 'ada', name: 'Ada' });
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: [`--host-resolver-rules=MAP api.example:80 ${new URL(api.url).host}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
      timeout: PATIENCE_MS,
    });
  }, PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await api.stop();
    await providers.stop();
  }, PATIENCE_MS);

  const link = async (externalId: string) =>
    (await api.call('POST', '/v1/connect-sessions', { key, body: { user: { externalId } } })).body.url as string;

  /** A page of a fresh profile, and what the browser refused or complained of on it. */
  async function visit(
    options: Parameters<Browser['newContext']>[0],
  ): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
    const context = await browser.newContext({ viewport: { width: 390, height: 780 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, context, complaints };
  }

  it(
    'a person connects with JavaScript switched off, by the keyboard alone',
    async () => {
      const { page, context } = await visit({ javaScriptEnabled: false });
      await page.goto(await link('keyboard'));
      expect(await page.getByRole('main').getByRole('heading', { level: 1 }).innerText()).toBe(
        'Connect your devices to Vital & Fit <Clinic>',
      );
      const region = page.getByRole('region', { name: 'Services' });
      expect(await region.getByRole('button').allInnerTexts()).toEqual(['Connect Oura', 'Connect Strava', 'Connect Withings']);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${providers.url}/oura/oauth/authorize**`);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL('http://api.example/connect/page**');
      expect(await page.getByRole('status').innerText()).toBe('Oura is connected. Your data will arrive from now on.');
      expect(await page.getByRole('button', { name: 'Renew Oura' }).count()).toBe(1);
      const rows = await api.rows(
        `select subject_id, status from connection c join app_user u on u.id = c.user_id where u.external_id = 'keyboard'`,
      );
      expect(rows).toEqual([{ subject_id: 'ada', status: 'active' }]);
      const cookies = await context.cookies('http://api.example/connect/page');
      expect(cookies).toEqual([expect.objectContaining({ name: 'tributary_connect', httpOnly: true, sameSite: 'Lax', path: '/connect' })]);
      const picture = await page.screenshot({ fullPage: true });
      expect(picture.subarray(1, 4).toString()).toBe('PNG');
      if (process.env['UPDATE_PICTURES'] === '1') {
        mkdirSync(new URL('.', PICTURE), { recursive: true });
        writeFileSync(PICTURE, picture);
      }
      await context.close();
    },
    PATIENCE_MS,
  );

  it.each(['light', 'dark'] as const)(
    'it fits a small screen, can be read, shows where the focus is, and loads nothing: %s',
    async (colorScheme) => {
      const { page, context, complaints } = await visit({ colorScheme, viewport: { width: 320, height: 640 } });
      const requested: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      const url = await link(`reader-${colorScheme}`);
      await page.goto(url);
      const seen = await page.evaluate(() => {
        const luminance = (colour: string) => {
          const [r = 0, g = 0, b = 0] = (colour.match(/\d+(\.\d+)?/g) ?? []).slice(0, 3).map((part) => {
            const share = Number(part) / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const groundOf = (element: Element): string => {
          const { backgroundColor } = getComputedStyle(element);
          const clear = backgroundColor === 'rgba(0, 0, 0, 0)' || backgroundColor === 'transparent';
          return clear && element.parentElement !== null ? groundOf(element.parentElement) : backgroundColor;
        };
        const ratios = [...document.querySelectorAll('h1, h2, p, strong, button, span, code')].map((element) => {
          const [one, two] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))];
          return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
        });
        const button = document.querySelector('button') as HTMLButtonElement;
        return {
          ratios,
          wide: document.documentElement.scrollWidth,
          high: button.getBoundingClientRect().height,
          language: document.documentElement.lang,
          styled: getComputedStyle(button).borderRadius,
          scripts: document.scripts.length,
        };
      });
      expect(seen.ratios.length).toBeGreaterThan(8);
      expect(Math.min(...seen.ratios)).toBeGreaterThan(7);
      expect(seen).toMatchObject({ language: 'en', scripts: 0, styled: '8px' });
      expect(seen.wide).toBeLessThanOrEqual(320);
      expect(seen.high).toBeGreaterThanOrEqual(44);
      await page.keyboard.press('Tab');
      const ring = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineWidth);
      expect(ring).toBe('3px');
      // The browser asks for an icon by itself, at most.
      expect(requested.filter((one) => !one.endsWith('/favicon.ico'))).toEqual([url]);
      expect(complaints.filter((words) => !words.includes('favicon'))).toEqual([]);
      await context.close();
    },
    PATIENCE_MS,
  );

  it(
    'a page of another site can neither frame it nor put a script in',
    async () => {
      const { page, context, complaints } = await visit({});
      const url = await link('framed');
      await page.setContent(`<iframe src="${url}" name="inner"></iframe>`);
      for (let tries = 0; tries < 100 && complaints.length === 0; tries += 1) await page.waitForTimeout(100);
      expect(complaints.join('\n')).toMatch(/frame-ancestors|X-Frame-Options/i);
      await page.goto(url);
      await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'document.title = "taken"';
        document.body.append(script);
      });
      expect(await page.title()).toBe('Connect your devices to Vital & Fit <Clinic>');
      await context.close();
    },
    PATIENCE_MS,
  );
});
