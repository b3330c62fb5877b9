import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inOtherProcess, killHard, makeWorkspace } from '../testing/workspace.js';
import { commandLine, isAlive } from './process-facts.js';
import { redisProgram } from './redis-server.config.js';
import { startRedis } from './start-redis.js';

let dir: string;
let endings: (() => unknown)[];

beforeEach(() => {
  const workspace = makeWorkspace();
  dir = path.join(workspace.dir, 'services');
  endings = [workspace.remove];
});
afterEach(async () => {
  for (const end of endings.reverse()) await end();
});

/** Sends commands in one go and gives what came back within a moment of the last answer. */
function talk(port: number, commands: string): Promise<string> {
  return new Promise((told, failed) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${commands}QUIT\r\n`));
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.once('close', () => told(text));
    socket.once('error', failed);
  });
}

describe('redisProgram', () => {
  it('prefers REDIS_SERVER, then the PATH, redis before valkey', () => {
    mkdirSync(path.join(dir, 'bin'), { recursive: true });
    const found = () => redisProgram({ PATH: path.join(dir, 'bin') });
    expect(found()).toBeUndefined();
    writeFileSync(path.join(dir, 'bin', 'valkey-server'), '', { mode: 0o755 });
    expect(found()).toBe(path.join(dir, 'bin', 'valkey-server'));
    writeFileSync(path.join(dir, 'bin', 'redis-server'), '', { mode: 0o644 });
    expect(found()).toBe(path.join(dir, 'bin', 'valkey-server'));
    writeFileSync(path.join(dir, 'bin', 'redis-server-2'), '', { mode: 0o755 });
    expect(redisProgram({ PATH: path.join(dir, 'bin'), REDIS_SERVER: '/opt/redis' })).toBe('/opt/redis');
  });
});

describe('startRedis', () => {
  it('names REDIS_SERVER and REDIS_URL when the program cannot run, and gives the folder back', async () => {
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(startRedis({ dir, program: path.join(dir, 'no-such-program') })).rejects.toMatchObject({
        code: 'failed',
        message: expect.stringMatching(/REDIS_SERVER.*REDIS_URL/),
      });
    }
  });
});

/** Where there is no Redis, this file is about what happens then; test/setup says so in the output. */
const program = redisProgram();
if (program !== undefined) {
  describe(`startRedis with ${path.basename(program)}`, () => {
    async function start(options: { port?: number } = {}) {
      const server = await startRedis({ dir, ...options });
      if (server === undefined) throw new Error('no server');
      endings.push(server.stop);
      return server;
    }

    it('starts a private server that keeps nothing and evicts nothing', async () => {
      const server = await start();
      const password = new URL(server.url).password;
      expect(await talk(server.port, 'SET a 1\r\n')).toContain('NOAUTH');
      const answer = await talk(server.port, `AUTH ${password}\r\nCONFIG GET maxmemory-policy\r\nCONFIG GET save\r\nCONFIG GET bind\r\n`);
      expect(answer).toMatch(/maxmemory-policy\r\n\$10\r\nnoeviction/);
      expect(answer).toMatch(/save\r\n\$0\r\n\r\n/);
      expect(answer).toMatch(/bind\r\n\$9\r\n127\.0\.0\.1\r\n/);
      expect(commandLine(server.pid).join(' ')).not.toContain(password);
      for (const file of ['redis.log', 'redis.process']) expect(statSync(path.join(dir, file)).mode & 0o077).toBe(0);
      await server.stop();
      expect(isAlive(server.pid)).toBe(false);
      expect(existsSync(path.join(dir, 'redis.process'))).toBe(false);
    });

    it('refuses a folder that is in use', async () => {
      await start();
      await expect(startRedis({ dir })).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining('TRIBUTARY_DATA_DIR') });
    });

    it('refuses a port that is taken', async () => {
      const { port } = await start();
      await expect(startRedis({ dir: path.join(dir, 'other'), port })).rejects.toMatchObject({
        code: 'port',
        message: expect.stringContaining(`Port ${port}`),
      });
    });

    it('ends the server of a run that was killed, and nothing whose pid merely is the same', async () => {
      const run = await inOtherProcess(`const { pid } = await embedded.startRedis({ dir: ${JSON.stringify(dir)} }); say({ pid });`);
      const pid = Number(run.said['pid']);
      await killHard(run.child);
      expect(isAlive(pid)).toBe(true);
      const second = await start();
      expect(isAlive(pid)).toBe(false);
      await second.stop();
      writeFileSync(path.join(dir, 'redis.process'), `${process.pid} 1`);
      const third = await start();
      expect(isAlive(process.pid)).toBe(true);
      expect(readFileSync(path.join(dir, 'redis.process'), 'utf8')).toMatch(new RegExp(`^${third.pid} `));
    });
  });
}
