import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { eventSchemas } from '@tributary/handoffs';
import { findProvider, originsOf } from '@tributary/providers';
import { claimWindows, connect, resumeWindows } from '@tributary/storage';
import { activityDocument } from '../testing/documents.js';
import { type Person, Workbench } from '../testing/workbench.js';
import { AccessTokens } from './access-tokens.js';
import { FetchSlice } from './fetch-slice.js';
import type { WorkerContext } from './worker-context.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});
beforeEach(() => {
  bench.oura.documents.clear();
  bench.oura.honoured.clear();
  Object.assign(bench.oura, {
    fault: undefined,
    beforeAnswer: undefined,
    refreshToken: undefined,
    tokenAnswer: undefined,
    grantDead: false,
    expiresInS: 3_600,
    mostRefreshes: 0,
  });
  Object.assign(bench.oura.calls, { object: 0, list: 0, refresh: 0 });
});

async function expireToken(person: Person): Promise<void> {
  await bench.db.pool.query(`update connection set token_expires_at = now() - interval '1 minute' where tenant_id = $1`, [
    person.scope.tenantId,
  ]);
}

async function status(person: Person): Promise<unknown> {
  return (await bench.rows('select status from connection where tenant_id = $1', person))[0]?.['status'];
}

async function owe(person: Person, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    bench.oura.put('daily_activity', activityDocument({ id, day: `2026-09-${id.padStart(2, '0')}` }));
    await bench.notice(person, { id });
  }
  await bench.resolve(person);
}

describe('access tokens', () => {
  it('C050 the loser of the race revokes the winner: two processes race for one rotating token two hundred times, and nobody loses', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-0' } });
    bench.oura.refreshToken = 'refresh-0';
    bench.oura.expiresInS = 120;
    const others = await connect({ url: bench.db.url, poolSize: 12, applicationName: 'another-worker' });
    // Nothing in common but the database: pools, memories and slices of their own.
    const lane = { ...person.scope, lane: 0 };
    const workers = [bench.contextWith({ slice: 2 }), bench.contextWith({ slice: 2, pool: others.pool })].map(
      (context) => new FetchSlice(context),
    );
    try {
      for (let round = 1; round <= 200; round += 1) {
        await owe(person, ['1', '2', '3', '4']);
        await expireToken(person);
        await Promise.all(workers.map((worker) => worker.run(lane, async () => {})));
        expect([round, bench.oura.calls.refresh, bench.oura.grantDead]).toEqual([round, round, false]);
      }
    } finally {
      await others.close();
    }
    expect(bench.oura.mostRefreshes).toBe(1);
    expect(await status(person)).toBe('active');
    expect((await bench.windows(person)).map((window) => [window['state'], window['attempts']])).toEqual(Array(4).fill(['settled', 0]));
    const [row] = await bench.rows('select id, access_token, refresh_token from connection where tenant_id = $1', person);
    const open = (column: string, use: string) => bench.keys.open(row?.[column] as Buffer, `connection:${person.connection.id}:${use}`);
    expect([open('access_token', 'access'), open('refresh_token', 'refresh')]).toEqual(['access-200', 'refresh-200']);
  }, 240_000);

  it('C050 ten reads at expiry are one refresh, and all ten succeed', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-0' } });
    bench.oura.refreshToken = 'refresh-0';
    const ids = Array.from({ length: 10 }, (_, n) => String(n + 1));
    await owe(person, ids);
    await expireToken(person);
    await Promise.all([3, 3, 4].map((slice) => bench.fetch(person, bench.contextWith({ slice }))));
    expect([bench.oura.calls.refresh, bench.oura.grantDead]).toEqual([1, false]);
    expect(await status(person)).toBe('active');
    expect((await bench.windows(person)).map((window) => window['state'])).toEqual(ids.map(() => 'settled'));
  });

  it('C052 retry storm on a rejected refresh: two hundred notices ask once, the connection waits for consent, and then all are read', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-secret' } });
    bench.oura.tokenAnswer = { status: 400, body: { error: 'invalid_request' } };
    const ids = Array.from({ length: 200 }, (_, n) => `n${n}`);
    for (const id of ids) {
      bench.oura.put('daily_activity', activityDocument({ id, day: '2026-09-14' }));
      await bench.notice(person, { id });
    }
    await bench.resolve(person);
    await expireToken(person);
    const lines: unknown[] = [];
    const note = (line: unknown) => void lines.push(line);
    const log = { ...bench.context.log, info: note, warn: note, error: note, debug: note } as unknown as WorkerContext['log'];
    while (await bench.fetch(person, bench.contextWith({ log })));
    expect(bench.oura.calls.refresh).toBeLessThanOrEqual(2);
    expect(await status(person)).toBe('reauth_required');
    expect(new Set((await bench.windows(person)).map((window) => window['state']))).toEqual(new Set(['parked']));
    expect((await bench.events(person)).map(({ type }) => type)).toEqual(['connection.reauthRequired']);
    expect(inspect(lines, { depth: 9 })).not.toMatch(/refresh-secret|access-/);

    // A new consent, as the connect page leaves it.
    bench.oura.tokenAnswer = undefined;
    await bench.db.pool.query(
      `update connection set status = 'active', access_token = $2, token_expires_at = now() + interval '1 hour' where tenant_id = $1`,
      [person.scope.tenantId, bench.keys.seal('new', `connection:${person.connection.id}:access`)],
    );
    await resumeWindows(bench.db.pool, person.scope, person.connection.id);
    while (await bench.fetch(person));
    expect(new Set((await bench.windows(person)).map((window) => window['state']))).toEqual(new Set(['settled']));
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 200 }]);
  });

  it('a token endpoint that is down is asked once for all windows of a connection, not once for each', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-0' } });
    bench.oura.tokenAnswer = { status: 503 };
    await owe(person, ['1', '2', '3', '4', '5', '6']);
    await expireToken(person);
    await bench.fetch(person, { ...bench.contextWith({}), fetches: 1 });
    expect(bench.oura.calls.refresh).toBe(1);
    expect((await bench.windows(person)).map((window) => [window['state'], window['last_error']])).toEqual(
      Array(6).fill(['waiting', 'token_http_503']),
    );
    expect(await status(person)).toBe('active');
  });

  it('a token endpoint that is asked too often costs no attempt', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-0' } });
    bench.oura.tokenAnswer = { status: 429, headers: { 'retry-after': '90' } };
    await owe(person, ['1', '2']);
    await expireToken(person);
    await bench.fetch(person, { ...bench.contextWith({}), fetches: 1 });
    expect(bench.oura.calls).toMatchObject({ refresh: 1, object: 0 });
    expect(await bench.windows(person)).toMatchObject(Array(2).fill({ state: 'waiting', attempts: 0, last_error: 'rate_limited' }));
    const [due] = await bench.rows(
      'select min(extract(epoch from due_at - now()))::float as s from fetch_window where tenant_id = $1',
      person,
    );
    expect(Number(due?.['s'])).toBeGreaterThan(85);
  });

  it('an answer without a refresh token keeps the one that there is', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-kept' } });
    bench.oura.tokenAnswer = { status: 200, body: { access_token: 'access-new', expires_in: 3_600 } };
    await owe(person, ['1']);
    await expireToken(person);
    await bench.fetch(person);
    const [row] = await bench.rows('select access_token, refresh_token from connection where tenant_id = $1', person);
    const open = (column: string, use: string) => bench.keys.open(row?.[column] as Buffer, `connection:${person.connection.id}:${use}`);
    expect([open('access_token', 'access'), open('refresh_token', 'refresh')]).toEqual(['access-new', 'refresh-kept']);
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled' }]);
  });

  it('a new pair is in the table before anybody uses it', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-0' } });
    bench.oura.refreshToken = 'refresh-0';
    await owe(person, ['1']);
    await expireToken(person);
    const stored: string[] = [];
    bench.oura.beforeAnswer = async () => {
      // Another connection to the database sees what is committed, and the read is under way.
      const [row] = await bench.rows('select refresh_token from connection where tenant_id = $1', person);
      stored.push(bench.keys.open(row?.['refresh_token'] as Buffer, `connection:${person.connection.id}:refresh`));
    };
    await bench.fetch(person);
    expect(stored).toEqual([bench.oura.refreshToken]);
    expect(stored[0]).not.toBe('refresh-0');
  });

  it('who waits too long for the lock of another refresh comes back later, and ends nothing', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-0' } });
    await owe(person, ['1']);
    await expireToken(person);
    const [window] = await claimWindows(bench.db.pool, { ...person.scope, lane: 0 }, { limit: 1, leaseMs: 30_000 });
    const provider = findProvider('oura');
    const origins = provider && originsOf(provider, true, bench.oura.url);
    if (window === undefined || provider === undefined || origins === undefined) throw new Error('nothing to refresh');
    const tokens = new AccessTokens(bench.context, 100);
    const holder = await bench.db.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from connection where tenant_id = $1 for no key update', [person.scope.tenantId]);
      expect(await tokens.tokenFor(window, { provider, origins })).toEqual({ is: 'transient', code: 'refresh_busy' });
      await holder.query('rollback');
    } finally {
      holder.release();
    }
    expect(bench.oura.calls.refresh).toBe(0);
    // Whoever held the lock is done: no hold stands in the way of the next try.
    expect(await tokens.tokenFor(window, { provider, origins })).toMatchObject({ is: 'token', fresh: true });
    expect(await status(person)).toBe('active');
  });

  it('a token that the provider refuses early is replaced once, and the read goes on with the new one', async () => {
    const person = await bench.person();
    bench.oura.honoured.add('another');
    await owe(person, ['1', '2', '3']);
    await bench.fetch(person);
    expect(bench.oura.calls.refresh).toBe(1);
    expect(await status(person)).toBe('active');
    expect((await bench.windows(person)).map((window) => window['state'])).toEqual(['settled', 'settled', 'settled']);
  });

  it('a worthless refresh token asks for consent once, tells the customer once, and parks every window', async () => {
    const person = await bench.person();
    bench.oura.grantDead = true;
    await expireToken(person);
    await owe(person, ['1', '2', '3']);
    await bench.fetch(person);
    expect(await status(person)).toBe('reauth_required');
    expect((await bench.windows(person)).map((window) => window['state'])).toEqual(['parked', 'parked', 'parked']);
    const events = await bench.events(person);
    expect(events.map((event) => [event.type, event.deliveries])).toEqual([['connection.reauthRequired', 1]]);
    expect(eventSchemas['connection.reauthRequired'].parse(events[0]?.data)).toEqual({
      user: { id: person.user.id, externalId: person.user.externalId },
      connectionId: person.connection.id,
      provider: 'oura',
      reason: 'token_refused',
      revision: 1,
    });
    await bench.notice(person, { id: '9' });
    await bench.resolve(person);
    expect((await bench.windows(person)).map((window) => window['state'])).toEqual(['parked', 'parked', 'parked', 'parked']);
  });

  it('a new token that is refused too ends the grant', async () => {
    const person = await bench.person();
    bench.oura.fault = { answer: { status: 401 }, times: 99 };
    await owe(person, ['1']);
    await bench.fetch(person);
    expect(bench.oura.calls).toMatchObject({ refresh: 1, object: 2 });
    expect(await status(person)).toBe('reauth_required');
  });

  it('a refusal of a token that was replaced meanwhile ends nothing', async () => {
    const person = await bench.person();
    await owe(person, ['1']);
    await expireToken(person);
    bench.oura.fault = { answer: { status: 401 }, times: 99 };
    bench.oura.beforeAnswer = async () => {
      await bench.db.pool.query(
        `update connection set access_token = $2, token_expires_at = now() + interval '1 hour' where tenant_id = $1`,
        [person.scope.tenantId, bench.keys.seal('newer', `connection:${person.connection.id}:access`)],
      );
    };
    await bench.fetch(person);
    expect(await status(person)).toBe('active');
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', last_error: 'token_changed', attempts: 1 }]);
  });

  it('a token endpoint that fails is a passing fault and not the end of the grant', async () => {
    const person = await bench.person();
    await owe(person, ['1']);
    await expireToken(person);
    await bench.fetch(person, bench.contextWith({ sandboxUrl: 'http://127.0.0.1:9' }));
    expect(await status(person)).toBe('active');
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', attempts: 1, last_error: 'ECONNREFUSED' }]);
  });

  it('refreshes with the newest live client secret', async () => {
    const person = await bench.person();
    await bench.db.pool.query("update provider_app_secret set retires_at = now() - interval '1 s' where tenant_id = $1", [
      person.scope.tenantId,
    ]);
    const rotated = await bench.seed.appSecret(person.app);
    bench.oura.calls.secretsSeen.clear();
    await owe(person, ['1']);
    await expireToken(person);
    await bench.fetch(person);
    expect([...bench.oura.calls.secretsSeen]).toEqual([rotated.value]);
    expect(await bench.windows(person)).toMatchObject([{ state: 'settled' }]);
  });
});
