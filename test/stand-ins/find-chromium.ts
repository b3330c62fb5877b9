import { existsSync } from 'node:fs';

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The browser of `CHROMIUM_PATH`, or the system's; undefined when it has none. @throws when `CHROMIUM_PATH` leads nowhere. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const wanted = env['CHROMIUM_PATH'];
  if (wanted !== undefined && wanted !== '' && !existsSync(wanted)) throw new Error(`CHROMIUM_PATH names no file: ${wanted}`);
  return wanted || USUAL.find((path) => existsSync(path));
}
