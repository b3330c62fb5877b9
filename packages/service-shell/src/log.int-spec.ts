import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** The built file: `npm test` builds first. */
const log = path.join(import.meta.dirname, '../dist/log.js');

describe('the log', () => {
  it('is written whole before the process ends, and secrets are not in it', async () => {
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `
      import { createLog } from ${JSON.stringify(log)};
      const log = createLog('test', 'info');
      for (let n = 0; n < 2000; n += 1) log.info({ n, accessToken: 'hidden' }, 'line');
      process.exit(0);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await once(child, 'close');
    expect(
      said
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { n: number }).n),
    ).toEqual(Array.from({ length: 2000 }, (_, n) => n));
    expect(said).not.toContain('hidden');
  });

  it('does not keep a process alive whose reader is gone', async () => {
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `
      import { createLog } from ${JSON.stringify(log)};
      const log = createLog('test', 'info');
      log.info('first');
      setInterval(() => log.info('again'), 20);
      setTimeout(() => process.exit(7), 500);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});
