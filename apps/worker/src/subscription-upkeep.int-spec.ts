import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnsuredSubscriptions, type Provider, ProviderUnreachable, findProvider } from '@tributary/providers';
import { createLog, createMetrics } from '@tributary/service-shell';
import { adoptUpkeep, startUpkeep } from '@tributary/storage';
import { type Person, Workbench } from '../testing/workbench.js';
import { checkSubscriptions } from './subscription-upkeep.js';
import { workerMetrics } from './worker-metrics.js';

// doubles: the provider's end of subscriptions.  oracles: what it was asked, rows, log lines, counters.
type Asked = Parameters<Provider['subscriptions']['ensure']>[1];
type Answer = EnsuredSubscriptions | Error | ((asked: Asked) => Promise<EnsuredSubscriptions>);

const day = 86_400_000;
const hour = 3_600_000;
const kept: EnsuredSubscriptions = { created: 0, renewed: 0, present: 3 };

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(() => bench.close());

/** An app whose subscriptions were asked for once, and a worker that meets a provider which answers this, one answer for each check. */
async function upkeep(...answers: Answer[]) {
  const person = await bench.person();
  const asked: Asked[] = [];
  const told: Record<string, unknown>[] = [];
  const registry = createMetrics('worker');
  const log = createLog('worker-test', 'silent');
  for (const level of ['warn', 'error'] as const) log[level] = (line: unknown) => void told.push({ level, ...(line as object) });
  const oura = findProvider('oura') as Provider;
  const ensure = async (_http: unknown, input: Asked): Promise<EnsuredSubscriptions> => {
    asked.push(input);
    const answer = answers[asked.length - 1];
    if (answer === undefined) throw new Error('Asked once too often');
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(input) : answer;
  };
  let now = Date.parse('2026-11-30T00:00:00Z');
  const context = bench.contextWith({
    providers: new Map([['oura', { ...oura, subscriptions: { per: 'app', ensure } }]]),
    metrics: workerMetrics(registry),
    log,
    clock: () => now,
  });
  const only = `tenant_id = '${person.scope.tenantId}'`;
  return {
    person,
    asked,
    told,
    context,
    at(ms: number) {
      now = ms;
    },
    async row(): Promise<Record<string, unknown> | undefined> {
      const { rows } = await bench.db.pool.query(
        `select attempts, last_error, expires_at, key_lost, kept_at is not null as kept, checked_at is not null as checked, lease_token,
           extract(epoch from next_check_at - clock_timestamp())::float8 as due_s from subscription_upkeep where ${only}`,
      );
      return rows[0] as Record<string, unknown> | undefined;
    },
    begin: () =>
      bench.db.pool.query(
        'insert into subscription_upkeep (tenant_id, environment, provider_app_id, next_check_at) values ($1, $2, $3, now())',
        [person.scope.tenantId, person.scope.environment, person.app.id],
      ),
    /** What is due later, or leased, is due now; others' are not. */
    async check() {
      await bench.db.pool.query(
        `update subscription_upkeep set next_check_at = case when ${only} then now() else now() + interval '9 days' end`,
      );
      return checkSubscriptions(context);
    },
    count: async (outcome: string) =>
      Number(
        new RegExp(`subscription_checks_total\\{provider="oura",outcome="${outcome}"[^}]*\\} (\\d+)`).exec(await registry.metrics())?.[1] ??
          0,
      ),
    secrets: async () =>
      (
        await bench.db.pool.query<{ id: string; sealed: Buffer; ends_s: number | null }>(
          `select id, sealed, extract(epoch from retires_at - now())::float8 as ends_s from provider_app_secret
           where ${only} and purpose = 'webhook_secret' order by created_at`,
        )
      ).rows.map(({ id, sealed, ends_s }) => ({ value: bench.keys.open(sealed, `provider_app_secret:${id}`), ends_s })),
  };
}

describe('the upkeep of an app’s subscriptions', () => {
  it('asks with the app’s own credentials and address, to mend only, and comes back in a day', async () => {
    const { person, begin, check, asked, row, count } = await upkeep({ ...kept, expiresAt: Date.parse('2027-02-20T00:00:00Z') });
    await begin();
    expect(await check()).toBe(1);
    expect(asked).toEqual([
      {
        origins: expect.objectContaining({ api: `${bench.oura.url}/oura` }),
        client: { clientId: person.app.clientId, clientSecret: person.app.clientSecret },
        callbackUrl: `http://hooks.example/in/oura/${person.app.appKey}`,
        verificationToken: person.app.verificationToken,
        knowsWebhookSecret: false,
        onlyMend: true,
        now: Date.parse('2026-11-30T00:00:00Z'),
      },
    ]);
    const after = await row();
    expect(after).toMatchObject({
      attempts: 0,
      last_error: null,
      expires_at: new Date('2027-02-20T00:00:00Z'),
      kept: true,
      lease_token: null,
    });
    expect(Math.abs(Number(after?.['due_s']) - day / 1000)).toBeLessThan(30);
    expect(await count('kept')).toBe(1);
    expect(await checkSubscriptions((await upkeep()).context)).toBe(0);
  });

  it('C017: fails twice, is told and counted, and succeeds before the end; what was seen of the end stays meanwhile', async () => {
    const end = Date.parse('2026-12-04T00:00:00Z');
    const away = new ProviderUnreachable('http_503');
    const { begin, check, at, row, told, count } = await upkeep({ ...kept, expiresAt: end }, away, away, {
      created: 0,
      renewed: 3,
      present: 0,
      expiresAt: end + 90 * day,
    });
    await begin();
    await check();
    at(end - 4 * day);
    await check();
    expect(await row()).toMatchObject({ attempts: 1, last_error: 'http_503', expires_at: new Date(end), kept: true });
    at(end - 2 * day);
    await check();
    const failing = await row();
    expect(failing).toMatchObject({ attempts: 2, last_error: 'http_503' });
    expect(Math.abs(Number(failing?.['due_s']) - 180)).toBeLessThan(30);
    expect(told.map(({ level, what, code }) => [level, what, code])).toEqual([
      ['warn', 'subscriptions.not_kept', 'http_503'],
      ['error', 'subscriptions.not_kept', 'http_503'],
    ]);
    await check();
    expect(await row()).toMatchObject({ attempts: 0, last_error: null, expires_at: new Date(end + 90 * day) });
    expect([await count('failed'), await count('kept')]).toEqual([2, 2]);
  });

  it.each([
    ['ran out', { created: 3, renewed: 0, present: 0, lapsed: 3 }],
    ['were gone', { created: 1, renewed: 0, present: 2 }],
    ['were switched off', { created: 0, renewed: 1, present: 0, lapsed: 1 }],
  ])('C017: subscriptions that %s are told of, and the people of the app are swept within the hour', async (_what, mended) => {
    const { person, begin, check, told, count } = await upkeep(kept, mended);
    const other = await bench.person();
    await bench.db.pool.query(`update connection set next_sweep_at = now() + interval '6 hours'`);
    await begin();
    await check();
    const sweepIn = async ({ connection }: Person) =>
      Number(
        (
          await bench.db.pool.query<{ s: number }>(
            'select extract(epoch from next_sweep_at - now())::float8 as s from connection where id = $1',
            [connection.id],
          )
        ).rows[0]?.s,
      );
    expect(await sweepIn(person)).toBeGreaterThan(5 * 3_600);
    await check();
    expect(await sweepIn(person)).toBeLessThanOrEqual(hour / 1000);
    expect(await sweepIn(other)).toBeGreaterThan(5 * 3_600);
    expect(told).toMatchObject([{ level: 'warn', what: 'subscriptions.had_lapsed', hastened: 1 }]);
    expect(await count('mended')).toBe(1);
  });

  it('the first subscriptions of an app are no loss', async () => {
    const { begin, check, told } = await upkeep({ created: 3, renewed: 0, present: 0 });
    await begin();
    await check();
    expect(told).toEqual([]);
  });

  it('a key that the provider shows once is a live secret from then on, beside the one before it, and in the audit log', async () => {
    const { person, begin, check, asked, secrets } = await upkeep({ ...kept, secret: 'first' }, { ...kept, secret: 'second' }, kept);
    await begin();
    await check();
    await check();
    await check();
    const [first, second, ...more] = await secrets();
    expect([first?.value, second, more]).toEqual(['first', { value: 'second', ends_s: null }, []]);
    expect(Math.abs(Number(first?.ends_s) - 7 * 86_400)).toBeLessThan(60);
    expect(asked.map((one) => one.knowsWebhookSecret)).toEqual([false, true, true]);
    expect(await bench.rows('select actor, action, target from audit_log where tenant_id = $1', person)).toEqual(
      Array.from({ length: 2 }, () => ({ actor: 'upkeep', action: 'provider_app.keep_secret', target: person.app.id })),
    );
  });

  it('a key that may have gone to nobody is asked for anew until one comes', async () => {
    const lost = new ProviderUnreachable('subscription_key_lost');
    const { begin, check, asked, row } = await upkeep(
      { ...kept, secret: 'a' },
      lost,
      new ProviderUnreachable('timeout'),
      { ...kept, secret: 'b' },
      kept,
    );
    await begin();
    for (let n = 0; n < 5; n += 1) await check();
    expect(asked.map((one) => one.knowsWebhookSecret)).toEqual([false, true, false, false, true]);
    expect(await row()).toMatchObject({ key_lost: false, last_error: null });
  });

  it('who is killed with the new key in hand leaves the app due again, and the key is asked for anew', async () => {
    const { person, check, asked } = await upkeep({ ...kept, secret: 'kept' });
    await bench.seed.appSecret(person.app, { purpose: 'webhook_secret', value: 'of before' });
    expect(await startUpkeep(bench.db.pool, person.scope, person.app.id, 60_000)).toMatchObject({ keyLost: false });
    // Killed here: no outcome. The check comes when the lease has ended.
    await check();
    expect(asked.map((one) => one.knowsWebhookSecret)).toEqual([false]);
  });

  it('one at a time: who comes while a check runs finds nothing, and one that lost its lease changes nothing but keeps its key', async () => {
    const late: { end?: (ensured: EnsuredSubscriptions) => void } = {};
    const { person, begin, check, context, row, secrets } = await upkeep(
      () => new Promise<EnsuredSubscriptions>((resolve) => (late.end = resolve)),
      kept,
    );
    await begin();
    const slow = check();
    while (late.end === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await checkSubscriptions(context)).toBe(0);
    expect(await startUpkeep(bench.db.pool, person.scope, person.app.id, 60_000)).toBeUndefined();
    await check();
    const before = await row();
    late.end({ ...kept, expiresAt: 1, secret: 'of the slow one' });
    await slow;
    expect({ ...(await row()), due_s: 0 }).toEqual({ ...before, due_s: 0 });
    expect((await secrets()).map(({ value }) => value)).toEqual(['of the slow one']);
  });

  it('an app without its secret, and a fault of ours, are failures that can be read', async () => {
    const { person, begin, check, row } = await upkeep(new TypeError('ours'));
    await begin();
    await check();
    expect(await row()).toMatchObject({ attempts: 1, last_error: 'internal', checked: true, kept: false });
    await bench.db.pool.query(
      `update provider_app_secret set retires_at = now() where provider_app_id = $1 and purpose = 'client_secret'`,
      [person.app.id],
    );
    await check();
    expect(await row()).toMatchObject({ attempts: 2, last_error: 'no_client_secret' });
  });

  it('a disabled app is left alone', async () => {
    const { person, begin, check, asked } = await upkeep();
    await begin();
    await bench.db.pool.query(`update provider_app set state = 'disabled' where id = $1`, [person.app.id]);
    expect(await check()).toBe(0);
    expect(asked).toEqual([]);
  });

  it('apps whose address was proved without us are adopted, once, within an hour; others are not', async () => {
    const [proved, unproved, disabled] = [await upkeep(), await upkeep(), await upkeep()];
    for (const { person } of [proved, disabled])
      await bench.db.pool.query('update provider_app set handshaken_at = now() where id = $1', [person.app.id]);
    await bench.db.pool.query(`update provider_app set state = 'disabled' where id = $1`, [disabled.person.app.id]);
    expect(await adoptUpkeep(bench.db.pool, ['withings'])).toBe(0);
    expect(await adoptUpkeep(bench.db.pool, ['oura'])).toBe(1);
    expect(await adoptUpkeep(bench.db.pool, ['oura'])).toBe(0);
    const row = await proved.row();
    expect(row).toMatchObject({ checked: false });
    expect(Number(row?.['due_s'])).toBeLessThanOrEqual(3_600);
    expect([await unproved.row(), await disabled.row()]).toEqual([undefined, undefined]);
  });
});
