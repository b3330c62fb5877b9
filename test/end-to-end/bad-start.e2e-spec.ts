import { spawnSync } from 'node:child_process';
import net from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isolated, removeFolder, root, runLocal, scratchFolder } from './run-local.js';

const dir = scratchFolder();
afterAll(() => removeFolder(dir));

/** One clear message: names the variable and the remedy, shows no stack. */
async function startsBadly(env: Record<string, string | undefined>): Promise<{ code: number | null; said: string }> {
  const run = runLocal(['--once'], { ...isolated(dir), ...env });
  const code = await run.ended;
  const said = run.errors();
  expect(said).not.toMatch(/^\s+at /m);
  expect(said.trim().split('\n').length).toBeLessThanOrEqual(4);
  return { code, said };
}

describe('npm start that cannot start says what to do', () => {
  it('names the variable of a port that is taken', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => {
      server.once('listening', resolve);
    });
    const { port } = server.address() as net.AddressInfo;
    const { code, said } = await startsBadly({ INGEST_PORT: String(port) });
    server.close();
    expect(said).toContain(`Port ${port} is in use`);
    expect(said).toContain('Set INGEST_PORT to a free port');
    expect(code).toBe(2);
  }, 60_000);

  it('names DATABASE_URL when nothing answers there', async () => {
    const { code, said } = await startsBadly({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      TRIBUTARY_KEYS: `k:${Buffer.alloc(32, 1).toString('base64')}`,
    });
    expect(said).toContain('DATABASE_URL');
    expect(code).toBe(1);
  }, 60_000);

  it('names both variables that were given one port', async () => {
    const { code, said } = await startsBadly({ API_PORT: '4444', RECEIVER_PORT: '4444' });
    expect(said).toContain('API_PORT and RECEIVER_PORT are both 4444');
    expect(code).toBe(2);
  }, 60_000);

  it('says the words of a process that would not start, and nothing around them', async () => {
    const { code, said } = await startsBadly({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(said).toMatch(/^\w+: could not start: nothing answers at REDIS_URL/m);
    expect(said).not.toContain('{"level"');
    expect(code).toBe(1);
  }, 60_000);

  it('lists every variable of a malformed environment', async () => {
    const { code, said } = await startsBadly({ DATABASE_URL: 'mysql://x', API_PORT: 'http', LOG_LEVEL: 'loud' });
    expect(said).toContain('DATABASE_URL: is not a PostgreSQL address');
    expect(said).toContain('API_PORT: expected a port from 0 to 65535');
    expect(said).toContain('LOG_LEVEL: expected one of');
    expect(code).toBe(2);
  }, 60_000);

  it('refuses keys that are no keys without showing them', async () => {
    const { code, said } = await startsBadly({ TRIBUTARY_KEYS: 'topsecret' });
    expect(said).toContain('TRIBUTARY_KEYS');
    expect(said).not.toContain('topsecret');
    expect(code).toBe(2);
  }, 60_000);

  it('names the folder that it may not write to', async () => {
    const { code, said } = await startsBadly({ TRIBUTARY_DATA_DIR: '/proc/nowhere' });
    expect(said).toContain('TRIBUTARY_DATA_DIR');
    expect(code).toBe(2);
  }, 60_000);

  it('refuses an argument that it does not know', async () => {
    const run = runLocal(['--onec'], isolated(dir));
    expect(await run.ended).toBe(2);
    expect(run.errors()).toMatch(/^Unknown argument --onec/);
  }, 60_000);

  it.each(['api', 'ingest', 'worker', 'outbound'])('%s alone lists what its environment lacks, with exit code 2', (app) => {
    const { PATH } = process.env;
    const alone = spawnSync(process.execPath, [path.join(root, `apps/${app}/dist/main.js`)], { env: { PATH }, encoding: 'utf8' });
    expect(alone.stderr).toContain('DATABASE_URL: is not set; give a PostgreSQL address');
    expect(alone.stderr).toContain('TRIBUTARY_KEYS: is not set');
    expect(alone.stderr).not.toMatch(/^\s+at /m);
    expect(alone.status).toBe(2);
  });
});
