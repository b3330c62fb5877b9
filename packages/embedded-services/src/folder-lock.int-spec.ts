import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inOtherProcess, killHard, makeWorkspace } from '../testing/workspace.js';
import { lockFolder } from './folder-lock.js';
import { bornAt } from './process-facts.js';

describe('lockFolder', () => {
  let workspace: { dir: string; remove(): void };
  beforeEach(() => {
    workspace = makeWorkspace();
  });
  afterEach(() => workspace.remove());

  it('gives a folder to one holder and takes it back', () => {
    const release = lockFolder(workspace.dir, 'a');
    expect(() => lockFolder(workspace.dir, 'a')).toThrow(/TRIBUTARY_DATA_DIR/);
    lockFolder(workspace.dir, 'b')();
    release();
    release();
    lockFolder(workspace.dir, 'a')();
    expect(readdirSync(workspace.dir)).toEqual([]);
  });

  it('passes over a holder that is dead, unreadable, or whose pid now is another process', async () => {
    const { child } = await inOtherProcess('say({})');
    const born = bornAt(child.pid ?? 0) ?? '';
    const lock = path.join(workspace.dir, 'a.lock');
    writeFileSync(lock, `${child.pid} ${born}`);
    expect(() => lockFolder(workspace.dir, 'a')).toThrow(`process ${child.pid}`);
    expect(readFileSync(lock, 'utf8')).toBe(`${child.pid} ${born}`);
    writeFileSync(lock, `${child.pid} ${born}0`);
    lockFolder(workspace.dir, 'a')();
    writeFileSync(lock, `${child.pid} ${born}`);
    await killHard(child);
    lockFolder(workspace.dir, 'a')();
    writeFileSync(lock, '');
    lockFolder(workspace.dir, 'a')();
    expect(existsSync(lock)).toBe(false);
  });
});
