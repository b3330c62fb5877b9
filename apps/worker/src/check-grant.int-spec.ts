import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { grantCollection, windowColumns } from '@tributary/domain';
import { type Provider, ProviderUnreachable, findProvider } from '@tributary/providers';
import { type Person, Workbench } from '../testing/workbench.js';

const oura = findProvider('oura') as Provider;

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});
beforeEach(() => {
  bench.oura.honoured.clear();
  Object.assign(bench.oura, { fault: undefined, refreshToken: undefined, grantDead: false });
  Object.assign(bench.oura.calls, { object: 0, list: 0, refresh: 0 });
});

/** "This person has left", as a provider without a signature says it, and as anybody could. */
async function sayThatTheyLeft(person: Person): Promise<void> {
  const { windowKind, windowStart, windowEnd } = windowColumns({ kind: 'whole' });
  await bench.db.pool.query(
    `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind, window_kind,
       window_start, window_end, received_at)
     values ($1, $2, $3, md5($4)::uuid, 0, $5, $6, 'changed', $7, $8, $9, clock_timestamp())`,
    [
      person.scope.tenantId,
      person.scope.environment,
      person.connection.providerAppId,
      `left-${Math.random()}`,
      person.connection.id,
      grantCollection,
      windowKind,
      windowStart,
      windowEnd,
    ],
  );
  await bench.resolve(person);
}

async function status(person: Person): Promise<unknown> {
  return (await bench.rows('select status from connection where tenant_id = $1', person))[0]?.['status'];
}

describe('a notice about the grant', () => {
  it('that is false costs one read, and the connection lives', async () => {
    const person = await bench.person();
    await sayThatTheyLeft(person);
    await bench.fetch(person);
    expect(bench.oura.calls).toMatchObject({ list: 1, refresh: 0 });
    expect(await status(person)).toBe('active');
    expect(await bench.events(person)).toEqual([]);
    expect(await bench.windows(person)).toMatchObject([{ collection: 'grant', window_kind: 'whole', state: 'settled' }]);
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 1 }]);
  });

  it('that is true ends the connection once the provider itself refuses, and customers are told once', async () => {
    const person = await bench.person();
    bench.oura.fault = { answer: { status: 401 }, times: 99 };
    await sayThatTheyLeft(person);
    await sayThatTheyLeft(person);
    await bench.fetch(person);
    expect(
      await bench.rows('select status, access_token, refresh_token, next_sweep_at from connection where tenant_id = $1', person),
    ).toEqual([{ status: 'revoked', access_token: null, refresh_token: null, next_sweep_at: null }]);
    expect((await bench.events(person)).map(({ type, data, deliveries }) => [type, data['reason'], deliveries])).toEqual([
      ['connection.revoked', 'user_revoked', 1],
    ]);
  });

  it('is asked again when the provider is out of order, and believes nothing meanwhile', async () => {
    const person = await bench.person();
    bench.oura.fault = { answer: { status: 503 }, times: 99 };
    await sayThatTheyLeft(person);
    await bench.fetch(person);
    expect(await status(person)).toBe('active');
    expect(await bench.windows(person)).toMatchObject([{ collection: 'grant', state: 'waiting', attempts: 1, last_error: 'http_503' }]);
  });

  it('also brings back the webhooks that a provider wants to be asked for person by person', async () => {
    const person = await bench.person();
    const asked: object[] = [];
    const contextWhere = (ensureForPerson: NonNullable<Provider['subscriptions']['ensureForPerson']>) =>
      bench.contextWith({ providers: new Map([['oura', { ...oura, subscriptions: { ...oura.subscriptions, ensureForPerson } }]]) });
    const refusing = contextWhere(() => Promise.reject(new ProviderUnreachable('subscription_create_status_293')));
    const agreeing = contextWhere((_http, { accessToken, callbackUrl }) => {
      asked.push({ accessToken, callbackUrl });
      return Promise.resolve({ created: 1, renewed: 0, present: 0 });
    });
    await sayThatTheyLeft(person);
    await bench.fetch(person, refusing);
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', attempts: 1, last_error: 'subscription_create_status_293' }]);
    await bench.makeDue(person);
    await bench.fetch(person, agreeing);
    const [app] = await bench.rows('select app_key from provider_app where tenant_id = $1', person);
    expect(asked).toEqual([{ accessToken: expect.any(String), callbackUrl: `http://hooks.example/in/oura/${String(app?.['app_key'])}` }]);
    expect(await bench.windows(person)).toMatchObject([{ collection: 'grant', state: 'settled' }]);
  });
});
