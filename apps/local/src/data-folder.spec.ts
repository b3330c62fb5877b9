import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { keepKeys, openDataFolder } from './data-folder.js';

const dir = mkdtempSync(path.join(os.tmpdir(), 'tributary-data-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the data folder', () => {
  it('keeps one key ring over restarts, readable by its owner alone', () => {
    openDataFolder(dir);
    const first = keepKeys(dir);
    expect(keepKeys(dir)).toBe(first);
    expect(statSync(path.join(dir, 'keys')).mode & 0o777).toBe(0o600);
    const sealed = new KeyRing(first).seal('token', 'connection:con_1:access');
    expect(new KeyRing(keepKeys(dir)).open(sealed, 'connection:con_1:access')).toBe('token');
  });
  it('that cannot be written names the variable to set', () => {
    expect(() => openDataFolder('/proc/nowhere')).toThrow('Set TRIBUTARY_DATA_DIR to a folder that you may write to');
  });
});
