import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventSchemas } from '@tributary/handoffs';
import { activityDocument } from '../testing/documents.js';
import { type Person, Workbench } from '../testing/workbench.js';

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
  it('two workers race for one rotating refresh token fifty times, and the connection lives', async () => {
    const person = await bench.person({ connection: { refreshToken: 'refresh-0' } });
    bench.oura.refreshToken = 'refresh-0';
    bench.oura.expiresInS = 120;
    const workers = [bench.contextWith({}), bench.contextWith({})];
    for (let round = 1; round <= 50; round += 1) {
      await owe(person, ['1', '2', '3', '4']);
      await expireToken(person);
      await Promise.all(workers.map((context) => bench.fetch(person, { ...context, slice: 2 })));
      expect([round, bench.oura.calls.refresh, bench.oura.grantDead]).toEqual([round, round, false]);
    }
    expect(bench.oura.mostRefreshes).toBe(1);
    expect(await status(person)).toBe('active');
    expect((await bench.windows(person)).every((window) => window['state'] === 'settled')).toBe(true);
    const [row] = await bench.rows('select id, access_token, refresh_token from connection where tenant_id = $1', person);
    const open = (column: string, use: string) => bench.keys.open(row?.[column] as Buffer, `connection:${person.connection.id}:${use}`);
    expect([open('access_token', 'access'), open('refresh_token', 'refresh')]).toEqual(['access-50', 'refresh-50']);
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
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', attempts: 1, last_error: 'origin_not_allowed' }]);
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
