import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const { nodeVersionProblem } = (await import(pathToFileURL(path.resolve(import.meta.dirname, '../start.mjs')).href)) as {
  nodeVersionProblem(running: string, wanted: string): string | undefined;
};

describe('the Node.js version', () => {
  it.each(['18.20.0', '20.18.3', '20.0.0'])('%s is refused with the version to install', (running) => {
    expect(nodeVersionProblem(running, '>=20.19.0')).toBe(
      `Tributary needs Node.js >=20.19.0; this is ${running}. Install a newer one from https://nodejs.org and run npm ci again.`,
    );
  });
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('%s is accepted', (running) => {
    expect(nodeVersionProblem(running, '>=20.19.0')).toBeUndefined();
  });
});
