import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Provider, type ProviderLimits, type ProviderReply, findProvider } from '@tributary/providers';
import { connect } from '@tributary/storage';
import { type Person, Workbench } from '../testing/workbench.js';
import { CallsRefused } from './budget-visit.js';
import { CallBudget } from './call-budget.js';
import type { Account } from './call-budget-buckets.js';

let bench: Workbench;
let others: Awaited<ReturnType<typeof connect>>;
/** Two processes as far as budgets go: pools and memories of their own. */
let budgets: readonly [CallBudget, CallBudget];
beforeAll(async () => {
  bench = await Workbench.open();
  others = await connect({ url: bench.db.url, poolSize: 4, applicationName: 'another-worker' });
  budgets = [new CallBudget(bench.context, 1), new CallBudget({ ...bench.context, pool: others.pool }, 1)];
});
afterAll(async () => {
  await others.close();
  await bench.close();
});

const oura = findProvider('oura') as Provider;
const strava = findProvider('strava') as Provider;

function limiting(limits: Partial<ProviderLimits>): Provider {
  return { ...oura, limits: { app: [], connection: [], quotasOf: () => [], refusalOf: () => undefined, ...limits } };
}

function accountOf({ connection }: Person, provider: Provider, calls: Account['calls'] = 'reads'): Account {
  const { tenantId, environment, providerAppId, id } = connection;
  return { tenantId, environment, providerAppId, connectionId: id, provider, sandbox: true, calls };
}

function reply(status: number, headers: Record<string, string> = {}): ProviderReply {
  return { status, headers, body: Buffer.from('{}') };
}

function answered(answer: ProviderReply) {
  const at = performance.now();
  return { answer: { reply: answer, askedAt: at, answeredAt: at } };
}

async function buckets(person: Person): Promise<Record<string, Record<string, unknown>>> {
  const rows = await bench.rows(
    `select connection_id = '' as of_app, bucket, capacity, tokens, paused_until, learned, resets_at from rate_budget where tenant_id = $1`,
    person,
  );
  return Object.fromEntries(rows.map((row) => [`${row['of_app'] === true ? 'app' : 'person'} ${String(row['bucket'])}`, row]));
}

/** @returns the pause that stood in the way; undefined when there was none. */
async function refusal(taking: Promise<unknown>) {
  try {
    await taking;
    return undefined;
  } catch (error) {
    if (error instanceof CallsRefused) return error.pause;
    throw error;
  }
}

describe('calls of several processes', () => {
  it('never come to more than a window holds, and to all of it', async () => {
    const person = await bench.person();
    const provider = limiting({ app: [{ name: 'second', capacity: 40, refill: { is: 'window', lengthMs: 1_000 }, reserved: 0 }] });
    const account = accountOf(person, provider);
    const granted = new Map<number, number>();
    const end = performance.now() + 3_300;
    const hammer = async (budget: CallBudget) => {
      while (performance.now() < end) {
        const taking = budget.take(account, { calls: 3, kind: 'live', orOne: true });
        const pause = await refusal(
          taking.then(({ calls, ofWindows }) => {
            const window = ofWindows.get(' second') ?? 0;
            granted.set(window, (granted.get(window) ?? 0) + calls);
          }),
        );
        if (pause !== undefined) await new Promise((done) => setTimeout(done, 5));
      }
    };
    await Promise.all([...budgets, ...budgets, ...budgets, ...budgets].map(hammer));
    const counts = [...granted].sort(([a], [b]) => a - b).map(([, count]) => count);
    expect(Math.max(...counts)).toBe(40);
    // Every window was used up, but perhaps the last, which may have begun as we ended.
    expect(counts.filter((count) => count === 40).length).toBeGreaterThanOrEqual(2);
  });

  it('that wait at the same moment are taken together, each person by themselves too', async () => {
    const person = await bench.person();
    const provider = limiting({
      app: [{ name: 'minute', capacity: 100, refill: { is: 'steady', perS: 0.001 }, reserved: 0 }],
      connection: [{ name: 'minute', capacity: 10, refill: { is: 'steady', perS: 0.001 }, reserved: 0 }],
    });
    const account = accountOf(person, provider);
    const pauses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => refusal(budgets[n % 2 === 0 ? 0 : 1].take(account, { calls: 1, kind: 'live' }))),
    );
    expect(pauses.filter((pause) => pause === undefined)).toHaveLength(10);
    expect(new Set(pauses.flatMap((pause) => pause?.scope ?? []))).toEqual(new Set(['connection']));
    const held = await buckets(person);
    expect(Math.round(Number(held['app minute']?.['tokens']))).toBe(90);
    expect(Math.floor(Number(held['person minute']?.['tokens']))).toBe(0);
  });
});

describe('C049 backfill against live', () => {
  it('live reads keep a share that backfill and sweep leave alone', async () => {
    const person = await bench.person();
    const account = accountOf(person, strava);
    const takeAll = async (kind: 'live' | 'backfill' | 'sweep') => {
      for (let calls = 0; ; calls += 1) {
        const pause = await refusal(budgets[0].take(account, { calls: 1, kind }));
        if (pause !== undefined) return { calls, pause };
      }
    };
    expect((await takeAll('sweep')).calls).toBe(60);
    const backfill = await takeAll('backfill');
    expect(backfill).toMatchObject({ calls: 10, pause: { scope: 'app', kind: 'backfill' } });
    // It comes back with the next quarter of an hour, and not before.
    const quarterMs = 900_000 - (Date.now() % 900_000);
    expect(backfill.pause.waitMs).toBeGreaterThan(quarterMs - 2_000);
    expect(backfill.pause.spacingMs).toBeCloseTo(900_000 / 70);
    expect((await takeAll('live')).calls).toBe(30);
  });
});

describe('calls for tokens', () => {
  it('are counted where the provider counts them, and are free elsewhere', async () => {
    const person = await bench.person();
    await budgets[0].take(accountOf(person, strava, 'other'), { calls: 1, kind: 'live' });
    expect(Object.entries(await buckets(person)).map(([name, { tokens }]) => [name, tokens])).toEqual(
      expect.arrayContaining([
        ['app quarter_hour', 199],
        ['app day', 1_999],
      ]),
    );
    expect(Object.keys(await buckets(person))).toHaveLength(2);
    const another = await bench.person();
    await budgets[0].take(accountOf(another, oura, 'other'), { calls: 1, kind: 'live' });
    expect(await buckets(another)).toEqual({});
  });
});

describe('what a provider answers', () => {
  it('lowers what is left and sets the limit, for all processes', async () => {
    const person = await bench.person();
    const account = accountOf(person, strava);
    await budgets[0].take(account, { calls: 1, kind: 'live' });
    const headers = { 'x-readratelimit-limit': '300,3000', 'x-readratelimit-usage': '280,400' };
    expect(await budgets[0].report(account, answered(reply(200, headers)))).toBeUndefined();
    expect(await buckets(person)).toMatchObject({
      'app read_quarter_hour': { capacity: 300, tokens: 20, learned: true },
      'app read_day': { capacity: 3_000, tokens: 2_600, learned: true },
      'app quarter_hour': { capacity: 200, tokens: 199, learned: false },
    });
    expect(await refusal(budgets[1].take(account, { calls: 1, kind: 'backfill' }))).toMatchObject({ scope: 'app' });
    expect((await budgets[1].take(account, { calls: 8, kind: 'live' })).calls).toBe(8);
  });

  it('as a refusal stops everybody until it says, and a process that starts later keeps to it', async () => {
    const person = await bench.person();
    const account = accountOf(person, oura);
    await budgets[0].take(account, { calls: 1, kind: 'live' });
    const pause = await budgets[0].report(account, answered(reply(429, { 'retry-after': '120', 'x-ratelimit-tier': 'app' })));
    expect(pause).toMatchObject({ scope: 'app', kind: 'live' });
    expect(pause?.waitMs).toBeGreaterThanOrEqual(119_000);
    expect(pause?.waitMs).toBeLessThanOrEqual(120_000 + 12_000);
    const started = new CallBudget({ ...bench.context, pool: others.pool }, 1);
    const still = await refusal(started.take(account, { calls: 1, kind: 'live' }));
    expect(still).toMatchObject({ scope: 'app' });
    expect(still?.waitMs).toBeGreaterThan(110_000);
  });

  it('for one person stops that person alone', async () => {
    const person = await bench.person();
    const another = await bench.seed.connection(person.app, await bench.seed.user(person.scope));
    const google = findProvider('google') as Provider;
    await budgets[0].take(accountOf(person, google), { calls: 1, kind: 'live' });
    await budgets[0].report(accountOf(person, google), answered(reply(429)));
    expect(await refusal(budgets[1].take(accountOf(person, google), { calls: 1, kind: 'live' }))).toMatchObject({ scope: 'connection' });
    const sibling = { ...accountOf(person, google), connectionId: another.id };
    expect(await refusal(budgets[1].take(sibling, { calls: 1, kind: 'live' }))).toBeUndefined();
  });
});

describe('buckets', () => {
  it('get back what was taken and not used', async () => {
    const person = await bench.person();
    const account = accountOf(person, strava);
    const unused = await budgets[0].take(account, { calls: 8, kind: 'live' });
    expect((await buckets(person))['app read_day']).toMatchObject({ tokens: 992 });
    await budgets[1].report(account, { unused: { ...unused, calls: 5 } });
    expect((await buckets(person))['app read_day']).toMatchObject({ tokens: 997 });
    expect((await buckets(person))['app quarter_hour']).toMatchObject({ tokens: 197 });
  });

  it('follow the figures of the adapter until an answer told other ones', async () => {
    const person = await bench.person();
    const of = (capacity: number) =>
      limiting({ app: [{ name: 'day', capacity, refill: { is: 'window', lengthMs: 86_400_000 }, reserved: 0.3 }] });
    await budgets[0].take(accountOf(person, of(100)), { calls: 10, kind: 'live' });
    await budgets[1].take(accountOf(person, of(500)), { calls: 10, kind: 'live' });
    expect(await buckets(person)).toMatchObject({ 'app day': { capacity: 500, tokens: 480 } });
  });

  it('of somebody who is gone are not made again, and the call counts against the app', async () => {
    const person = await bench.person();
    const google = findProvider('google') as Provider;
    const account = accountOf(person, google);
    await bench.db.pool.query('delete from connection where tenant_id = $1', [person.scope.tenantId]);
    expect((await budgets[0].take(account, { calls: 1, kind: 'live' })).calls).toBe(1);
    expect(Object.keys(await buckets(person))).toEqual(['app minute']);
  });

  it('are there for others when the adapter of one cannot read an answer', async () => {
    const person = await bench.person();
    const facts = { name: 'day', capacity: 100, refill: { is: 'window', lengthMs: 86_400_000 }, reserved: 0 } as const;
    const broken = limiting({
      app: [facts],
      quotasOf: () => {
        throw new Error('an adapter with a fault');
      },
    });
    const [bad, good] = await Promise.allSettled([
      budgets[0].report(accountOf(person, broken), answered(reply(200))),
      budgets[0].take(accountOf(person, limiting({ app: [facts] })), { calls: 2, kind: 'live' }),
    ]);
    expect([bad.status, good.status]).toEqual(['rejected', 'fulfilled']);
    expect(await buckets(person)).toMatchObject({ 'app day': { tokens: 98 } });
  });

  it('that the database cannot give are an error and no leave to call', async () => {
    const person = await bench.person();
    const closed = await connect({ url: bench.db.url, poolSize: 1, applicationName: 'closed' });
    const budget = new CallBudget({ ...bench.context, pool: closed.pool }, 1);
    await closed.close();
    await expect(budget.take(accountOf(person, strava), { calls: 1, kind: 'live' })).rejects.toThrow();
    expect(await buckets(person)).toEqual({});
  });
});
