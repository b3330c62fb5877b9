import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { completeTree } from './postgres-binaries.js';

describe('completeTree', () => {
  let native: string;
  beforeEach(() => {
    native = path.join(mkdtempSync(path.join(tmpdir(), 'tributary-tree-')), 'native');
    mkdirSync(path.join(native, 'bin'), { recursive: true });
    mkdirSync(path.join(native, 'lib'));
    writeFileSync(path.join(native, 'lib', 'libpq.so.5.18'), 'library');
    writeFileSync(path.join(native, 'bin', 'postgres'), '', { mode: 0o644 });
    const links = ['libpq.so.5', 'libpq.so'].map((name) => ({ source: 'native/lib/libpq.so.5.18', target: `native/lib/${name}` }));
    writeFileSync(path.join(native, 'pg-symlinks.json'), JSON.stringify(links));
  });
  afterEach(() => rmSync(path.dirname(native), { recursive: true, force: true }));

  it("makes the libraries' short names and the right to run, where npm skipped the install script", () => {
    expect(completeTree(native)).toBe(true);
    expect(readlinkSync(path.join(native, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(readlinkSync(path.join(native, 'lib', 'libpq.so'))).toBe('libpq.so.5.18');
    expect(statSync(path.join(native, 'bin', 'postgres')).mode & 0o111).toBe(0o111);
    expect(completeTree(native)).toBe(true);
  });

  it('says so when the tree is not usable, so that a copy is used', () => {
    writeFileSync(path.join(native, 'pg-symlinks.json'), '{');
    expect(completeTree(native)).toBe(false);
    expect(existsSync(path.join(native, 'lib', 'libpq.so.5'))).toBe(false);
  });
});
