// doubles: none; the built process, killed while it works a request.
// oracles: rows, and what the process that is started next answers.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { insertApiKey } from '@tributary/storage';
import { type TestDatabase, cloneDatabase } from '../../../../packages/storage/testing/clone-database.js';
import { Seed, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { makeApiKey } from '../auth/api-key.js';

const main = path.join(import.meta.dirname, '../../dist/main.js');

describe('a process that is killed in the middle of a request', () => {
  let db: TestDatabase;
  let key: string;
  const running = new Set<ChildProcess>();

  beforeAll(async () => {
    db = await cloneDatabase({ poolSize: 4 });
    const { tenantId, environment } = await new Seed(db.pool, new KeyRing(TEST_KEYS)).environment();
    const made = makeApiKey(environment, randomBytes(32));
    key = made.key;
    const { prefix, hash } = made;
    await insertApiKey(db.pool, { tenantId, environment, id: 'key_1', name: 'test', prefix, hash, expiresAt: undefined });
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await db.drop();
  });

  async function start(): Promise<{ child: ChildProcess; url: string }> {
    const child = spawn(process.execPath, [main], {
      env: { PATH: process.env['PATH'], DATABASE_URL: db.url, TRIBUTARY_KEYS: TEST_KEYS, API_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const found = /listening on (http:[^\s"]+)/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(`the api did not start: ${said}`)));
    });
    return { child, url };
  }

  const wish = JSON.stringify({ url: 'https://customer.example/hooks' });
  const post = async (url: string, again: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': again };
    const reply = await fetch(`${url}/v1/endpoints`, { method: 'POST', headers, body: wish });
    return {
      status: reply.status,
      replayed: reply.headers.get('idempotent-replayed'),
      body: (await reply.json()) as Record<string, string>,
    };
  };
  const endpoints = async () => (await db.pool.query<{ id: string }>('select id from endpoint')).rows;
  /** Until a statement of the API waits for the lock, or none is left. */
  async function untilWaiting(there: boolean): Promise<void> {
    for (;;) {
      const { rows } = await db.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'tributary-api' and wait_event_type = 'Lock'`,
      );
      if (rows.length > 0 === there) return;
      await wait(50);
    }
  }

  it('leaves half of nothing: its key is closed until the lease ends, and then the work is done once', async () => {
    const again = randomUUID();
    const first = await start();
    const blocker = await db.pool.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table endpoint in access exclusive mode');
      const lost = post(first.url, again).then(
        () => 'answered',
        () => 'broken off',
      );
      await untilWaiting(true);
      const gone = once(first.child, 'exit');
      first.child.kill('SIGKILL');
      await gone;
      expect(await lost).toBe('broken off');
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
    await untilWaiting(false);
    expect(await endpoints()).toEqual([]);

    const second = await start();
    const early = await post(second.url, again);
    expect([early.status, early.body['code']]).toEqual([409, 'idempotency_in_progress']);
    expect(await endpoints()).toEqual([]);
    await db.pool.query(`update kept_answer set lease_until = now() - interval '1 second'`);
    const done = await post(second.url, again);
    expect([done.status, done.replayed]).toEqual([201, null]);
    expect(await endpoints()).toEqual([{ id: done.body['id'] }]);
    expect((await db.pool.query('select action, target from audit_log')).rows).toEqual([
      { action: 'endpoint.create', target: done.body['id'] },
    ]);

    // The process that answered dies, and the next one knows the answer, secret and all.
    second.child.kill('SIGKILL');
    const third = await start();
    const known = await post(third.url, again);
    expect([known.status, known.replayed, known.body]).toEqual([201, 'true', done.body]);
    expect(await endpoints()).toHaveLength(1);
  }, 240_000);
});
