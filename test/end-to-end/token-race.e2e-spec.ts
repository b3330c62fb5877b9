import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activityDocument } from '../../apps/worker/testing/documents.js';
import { Workbench } from '../../apps/worker/testing/workbench.js';
import { spawnWorker } from './worker-process.js';

const WINDOWS = 800;
/** As a tenant with many connections has them; here all are of one person, so that both processes want the same token at once. */
const LANES = 8;
const REFRESHES = 200;

// Two processes that share nothing but the database.  doubles: the provider, whose refresh tokens die when one is used twice.
describe('two workers and one rotating refresh token', () => {
  let bench: Workbench;
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await bench.close();
  });

  /** @returns the port of its metrics. */
  const startWorker = (): Promise<number> => {
    const child = spawnWorker(bench, { WORKER_SLICE: '1', LOG_LEVEL: 'info' }, ['ignore', 'pipe', 'inherit']);
    running.push(child);
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
      createInterface({ input: child.stdout as Readable }).on('line', (line) => {
        const entry = JSON.parse(line) as { what?: string; port?: number };
        if (entry.what === 'service.listening') resolve(entry.port as number);
      });
    });
  };
  const refreshesOf = async (port: number): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^tributary_worker_token_refreshes_total\{[^}]*outcome="granted"[^}]*\} (\d+)/m.exec(metrics)?.[1] ?? 0);
  };

  it('C050: refresh it two hundred times between them, and the connection lives', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-0' } });
    const { tenantId, environment, id } = person.connection;
    // A token that is as good as over when it comes: nearly every read has to ask for another.
    Object.assign(bench.oura, { refreshToken: 'refresh-0', expiresInS: 30 });
    for (let n = 1; n <= WINDOWS; n += 1) bench.oura.put('daily_activity', activityDocument({ id: `doc-${n}`, day: dayOf(n) }));
    await bench.db.pool.query(`update connection set token_expires_at = now() where tenant_id = $1`, [tenantId]);
    await bench.db.pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane, due_at)
       select $1, $2, $3, 'daily_activity', 'object', 'doc-' || n, 'doc-' || n, n % $4, now() + interval '3 seconds'
       from generate_series(1, $5) n`,
      [tenantId, environment, id, LANES, WINDOWS],
    );
    const ports = await Promise.all([startWorker(), startWorker()]);
    const end = Date.now() + 150_000;
    for (;;) {
      const open = (await bench.windows(person)).filter(({ state }) => state !== 'settled');
      if (open.length === 0) break;
      if (Date.now() > end || bench.oura.grantDead)
        throw new Error(`${open.length} are open, the grant is ${bench.oura.grantDead ? 'dead' : 'alive'}`);
      await new Promise((done) => setTimeout(done, 200));
    }
    expect(bench.oura.grantDead).toBe(false);
    expect(bench.oura.mostRefreshes).toBe(1);
    expect(bench.oura.calls.refresh).toBeGreaterThanOrEqual(REFRESHES);
    const [first, second] = await Promise.all(ports.map(refreshesOf));
    expect(Number(first) + Number(second)).toBe(bench.oura.calls.refresh);
    expect(Math.min(Number(first), Number(second))).toBeGreaterThan(REFRESHES / 10);
    const [row] = await bench.rows('select status, refresh_token from connection where tenant_id = $1', person);
    expect(row?.['status']).toBe('active');
    expect(bench.keys.open(row?.['refresh_token'] as Buffer, `connection:${id}:refresh`)).toBe(bench.oura.refreshToken);
    expect((await bench.windows(person)).filter(({ attempts }) => attempts !== 0)).toEqual([]);
    expect((await bench.events(person)).filter(({ type }) => type.startsWith('connection.'))).toEqual([]);
  }, 240_000);
});

function dayOf(n: number): string {
  return new Date(Date.parse('2024-01-01T00:00:00Z') + n * 86_400_000).toISOString().slice(0, 10);
}
