import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BucketFacts, type Provider, type ProviderHttp, findProvider } from '@tributary/providers';
import { activityDocument } from '../testing/documents.js';
import { type Person, Workbench } from '../testing/workbench.js';
import { CallsRefused } from './budget-visit.js';
import { CallBudget } from './call-budget.js';
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
  Object.assign(bench.oura, { fault: undefined, beforeAnswer: undefined, refreshToken: undefined, grantDead: false, pageSize: 100 });
  Object.assign(bench.oura.calls, { object: 0, list: 0, refresh: 0, listQueries: [] });
});

const oura = findProvider('oura') as Provider;

/** A worker of its own, for which Oura has these limits, also in the sandbox. */
function worker(app: readonly BucketFacts[], connection: readonly BucketFacts[] = []): WorkerContext {
  const provider: Provider = { ...oura, limits: { ...oura.limits, app, connection } };
  const context = bench.contextWith({ providers: new Map([['oura', provider]]), slice: 500 });
  return { ...context, budget: new CallBudget(context, 1) };
}

const day = (capacity: number, rest: Partial<BucketFacts> = {}): BucketFacts => ({
  name: 'day',
  capacity,
  refill: { is: 'window', lengthMs: 86_400_000 },
  reserved: 0.3,
  ...rest,
});

/** Windows of one object each, as notices or a backfill leave them. */
async function owe(person: Person, count: number, priority = 0, name = `p${priority}`): Promise<void> {
  const { tenantId, environment, id } = person.connection;
  await bench.db.pool.query(
    `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, priority, due_at)
     select $1, $2, $3, 'daily_activity', 'object', $4 || n, $4 || n, $5, now() from generate_series(1, $6) n`,
    [tenantId, environment, id, `${name}-`, priority, count],
  );
  for (let n = 1; n <= count; n += 1) bench.oura.put('daily_activity', activityDocument({ id: `${name}-${n}`, day: dayOf(n) }));
}

function dayOf(n: number): string {
  return new Date(Date.parse('2026-01-01T00:00:00Z') + n * 86_400_000).toISOString().slice(0, 10);
}

async function states(person: Person) {
  return (await bench.rows(
    `select priority, state, attempts, fetches, last_error, lease_token is null as free, count(*)::int as n,
       min(extract(epoch from due_at - now()))::float as soonest, max(extract(epoch from due_at - now()))::float as latest
     from fetch_window where tenant_id = $1 group by 1, 2, 3, 4, 5, 6 order by 1, 2, 4`,
    person,
  )) as {
    priority: number;
    state: string;
    attempts: number;
    fetches: number;
    last_error: string;
    n: number;
    soonest: number;
    latest: number;
  }[];
}

async function tokens(person: Person): Promise<number> {
  const [row] = await bench.rows(`select tokens from rate_budget where tenant_id = $1 and connection_id = ''`, person);
  return Number(row?.['tokens']);
}

describe('a read', () => {
  it('takes one call for each page, and gives back what it took ahead', async () => {
    const person = await bench.person();
    bench.oura.pageSize = 1;
    for (let n = 1; n <= 9; n += 1) bench.oura.put('daily_activity', activityDocument({ id: `a-${n}`, day: dayOf(n) }));
    await bench.window(person, { collection: 'daily_activity', from: dayOf(1), to: dayOf(10), priority: 0 });
    await bench.fetch(person, worker([day(1_000)]));
    expect(bench.oura.calls.list).toBeGreaterThanOrEqual(9);
    expect(await tokens(person)).toBe(1_000 - bench.oura.calls.list);
    expect(await states(person)).toMatchObject([{ state: 'settled' }]);
  });

  it('that finds no call left is put off until there are some, is no attempt, and asks nobody', async () => {
    const person = await bench.person();
    await owe(person, 5);
    await bench.fetch(person, worker([day(3)]));
    expect(bench.oura.calls.object).toBe(3);
    const untilMidnight = (86_400_000 - (Date.now() % 86_400_000)) / 1000;
    const waiting = (await states(person)).filter(({ state }) => state === 'waiting');
    expect(waiting.reduce((sum, { n }) => sum + n, 0)).toBe(2);
    for (const { attempts, last_error: why, soonest, latest } of waiting) {
      expect([attempts, why]).toEqual([0, 'rate_limited']);
      expect(soonest).toBeGreaterThan(untilMidnight - 5);
      expect(latest).toBeLessThan(untilMidnight + 86_400 + 60);
    }
    expect(await bench.letters(person)).toEqual([]);
  });

  it('of one person who used up their calls does not delay another', async () => {
    const person = await bench.person();
    const user = await bench.seed.user(person.scope);
    const another = { ...person, user, connection: await bench.seed.connection(person.app, user) };
    await owe(person, 4, 0, 'first');
    await owe(another, 2, 0, 'second');
    await bench.fetch(person, worker([], [day(2)]));
    const rows = await bench.rows(
      `select connection_id, state, count(*)::int as n from fetch_window where tenant_id = $1 group by 1, 2 order by 2, 1`,
      person,
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { connection_id: person.connection.id, state: 'settled', n: 2 },
        { connection_id: person.connection.id, state: 'waiting', n: 2 },
        { connection_id: another.connection.id, state: 'settled', n: 2 },
      ]),
    );
  });
});

describe('C049 backfill against live', () => {
  it('live reads go through while backfill has used its share, and backfill goes on where it was after the reset', async () => {
    const person = await bench.person();
    const context = worker([day(100)]);
    await owe(person, 120, 1);
    await bench.fetch(person, context);
    expect(bench.oura.calls.object).toBe(70);
    await owe(person, 20, 0);
    await bench.fetch(person, context);
    expect(bench.oura.calls.object).toBe(90);
    const after = await states(person);
    expect(after.filter(({ priority, state }) => priority === 0 && state === 'settled')).toMatchObject([{ n: 20 }]);
    expect(after.filter(({ priority, state }) => priority === 1 && state === 'settled')).toMatchObject([{ n: 70 }]);
    expect(after.filter(({ priority, state }) => priority === 1 && state === 'waiting').reduce((sum, { n }) => sum + n, 0)).toBe(50);
    // The window begins anew.
    await bench.db.pool.query(`update rate_budget set resets_at = now() where tenant_id = $1`, [person.scope.tenantId]);
    await bench.makeDue(person);
    await bench.fetch(person, bench.contextWith({ ...worker([day(100)]) }));
    expect((await states(person)).filter(({ state }) => state === 'waiting')).toEqual([]);
    expect(bench.oura.calls.object).toBe(140);
  });
});

describe('reads with many pages', () => {
  /** The provider's window begins anew. */
  async function renew(person: Person, context: WorkerContext): Promise<void> {
    await bench.db.pool.query(`update rate_budget set resets_at = now() where tenant_id = $1`, [person.scope.tenantId]);
    await bench.makeDue(person);
    // What this process remembers of the pause is over as well.
    later += 2 * 86_400_000;
    await bench.fetch(person, context);
  }
  let later = 0;

  it('that begin together and have too few calls for all come to their end, one after the other', async () => {
    const person = await bench.person();
    bench.oura.pageSize = 1;
    for (let n = 1; n <= 160; n += 1) bench.oura.put('daily_activity', activityDocument({ id: `many-${n}`, day: dayOf(n) }));
    // Eight windows of some twenty pages each, of which two fit into a day.
    for (let n = 0; n < 8; n += 1)
      await bench.window(person, { collection: 'daily_activity', from: dayOf(1 + n * 20), to: dayOf(21 + n * 20), priority: 1 });
    const context = { ...worker([day(50, { reserved: 0 })]), clock: () => Date.now() + later };
    await bench.fetch(person, context);
    let days = 1;
    while ((await states(person)).some(({ state }) => state !== 'settled')) {
      days += 1;
      expect(days).toBeLessThan(16);
      await renew(person, context);
    }
    expect(new Set((await states(person)).map(({ attempts }) => attempts))).toEqual(new Set([0]));
  });

  it('wait alone when they need more than is left: short ones go on meanwhile', async () => {
    const person = await bench.person();
    const context = worker([day(50)]);
    bench.oura.pageSize = 1;
    for (let n = 1; n <= 28; n += 1) bench.oura.put('daily_activity', activityDocument({ id: `long-${n}`, day: dayOf(n) }));
    const long = { collection: 'daily_activity', from: dayOf(1), to: dayOf(29), priority: 0 };
    await bench.window(person, long);
    await bench.fetch(person, context);
    const needed = bench.oura.calls.list;
    expect(needed).toBeGreaterThan(25);
    await bench.db.pool.query(`update fetch_window set state = 'waiting', due_at = now() - interval '1 hour' where tenant_id = $1`, [
      person.scope.tenantId,
    ]);
    await owe(person, 50 - needed, 0, 'short');
    await bench.fetch(person, { ...context, fetches: 1 });
    expect([bench.oura.calls.list, bench.oura.calls.object]).toEqual([needed, 50 - needed]);
    expect((await states(person)).map(({ state, attempts, n }) => [state, attempts, n])).toEqual([
      ['settled', 0, 50 - needed],
      ['waiting', 0, 1],
    ]);
  });

  it('that no day can ever hold are given up after some tries, and a person is told', async () => {
    const person = await bench.person();
    bench.oura.pageSize = 1;
    for (let n = 1; n <= 30; n += 1) bench.oura.put('daily_activity', activityDocument({ id: `long-${n}`, day: dayOf(n) }));
    await bench.window(person, { collection: 'daily_activity', from: dayOf(1), to: dayOf(31), priority: 1 });
    const context = { ...worker([day(10, { reserved: 0 })]), clock: () => Date.now() + later };
    await bench.fetch(person, context);
    for (let days = 0; days < 20 && (await states(person)).some(({ state }) => state === 'waiting'); days += 1)
      await renew(person, context);
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'transient', code: 'more_calls_than_limit', open: true }]);
  });
});

describe('an app without calls', () => {
  it('has all its windows put off in one statement, without a claim for each, spread, and live first', async () => {
    const person = await bench.person();
    const context = { ...worker([day(10, { reserved: 0 })]), slice: 20 };
    await owe(person, 10, 0, 'used');
    await bench.fetch(person, context);
    await owe(person, 200, 1);
    await owe(person, 100, 0);
    expect(bench.oura.calls.object).toBe(10);
    await bench.fetch(person, context);
    const waiting = (await states(person)).filter(({ state }) => state === 'waiting');
    expect(waiting.reduce((sum, { n }) => sum + n, 0)).toBe(300);
    // Only the twenty of that slice were claimed.
    expect(waiting.reduce((sum, { n, fetches }) => sum + n * fetches, 0)).toBe(20);
    expect(await bench.fetch(person, context)).toBe(false);
    expect(bench.oura.calls.object).toBe(10);
    expect(new Set(waiting.map(({ attempts }) => attempts))).toEqual(new Set([0]));
    const held = waiting.filter(({ fetches }) => fetches === 0);
    const [live, backfill] = [held.find(({ priority }) => priority === 0), held.find(({ priority }) => priority === 1)];
    expect([live?.n, backfill?.n]).toEqual([80, 200]);
    expect(live?.latest).toBeLessThan((backfill?.latest ?? 0) + 1);
    expect(backfill?.soonest).toBeGreaterThan(live?.soonest ?? Infinity);
    // Ten calls a day: what waits comes back over days, of which one is looked at.
    expect((live?.latest ?? 0) - (live?.soonest ?? 0)).toBeGreaterThan(40_000);
  });

  it('lets others of the same lane go on', async () => {
    const person = await bench.person();
    const context = worker([day(1)]);
    const app = await bench.seed.app(person.scope);
    const user = await bench.seed.user(person.scope);
    const another = { ...person, app, user, connection: await bench.seed.connection(app, user) };
    await owe(person, 30, 1);
    await owe(another, 1, 0, 'other');
    await bench.fetch(person, context);
    await owe(another, 1, 0, 'more');
    await bench.fetch(person, context);
    const [row] = await bench.rows(
      `select count(*)::int as n from fetch_window w join connection c on c.id = w.connection_id
       where w.tenant_id = $1 and w.state = 'settled' and w.window_start like 'other%'`,
      person,
    );
    expect(row).toEqual({ n: 1 });
  });
});

describe('a refusal by the provider', () => {
  const refusing = { answer: { status: 429, headers: { 'retry-after': '120', 'x-ratelimit-tier': 'app' } }, times: 99 };

  it('changes attempts by nothing, is asked once, and the pause outlives the process', async () => {
    const person = await bench.person();
    await owe(person, 50);
    await bench.db.pool.query(`update fetch_window set attempts = 11 where tenant_id = $1`, [person.scope.tenantId]);
    bench.oura.fault = refusing;
    await bench.fetch(person, { ...worker([day(1_000)]), fetches: 1 });
    expect(bench.oura.calls.object).toBe(1);
    const before = await states(person);
    expect(before.map(({ state, attempts }) => [state, attempts])).toEqual(before.map(() => ['waiting', 11]));
    for (const { soonest } of before) expect(soonest).toBeGreaterThan(115);

    bench.oura.fault = undefined;
    await bench.makeDue(person);
    await bench.fetch(person, worker([day(1_000)]));
    expect(bench.oura.calls.object).toBe(1);
    const after = await states(person);
    expect(after.map(({ state, attempts }) => [state, attempts])).toEqual(after.map(() => ['waiting', 11]));
    expect(await bench.letters(person)).toEqual([]);

    await bench.db.pool.query(`update rate_budget set paused_until = now(), tokens = 1000 where tenant_id = $1`, [person.scope.tenantId]);
    await bench.makeDue(person);
    await bench.fetch(person, worker([day(1_000)]));
    expect(bench.oura.calls.object).toBe(51);
    expect(await states(person)).toMatchObject([{ state: 'settled', n: 50 }]);
  });

  it('C045 the standard header lies: of a short Retry-After and a long reset the long one counts', async () => {
    const person = await bench.person();
    await owe(person, 1);
    bench.oura.fault = {
      answer: { status: 429, headers: { 'retry-after': '5', 'x-ratelimit-reset': '1800', 'x-ratelimit-tier': 'app' } },
      times: 1,
    };
    await bench.fetch(person, worker([day(1_000)]));
    const [window] = await states(person);
    expect(window?.soonest).toBeGreaterThan(1_795);
    expect(window).toMatchObject({ state: 'waiting', attempts: 0 });
  });

  it('C047 200 OK means nothing at Withings: 601 inside it pauses the app, is no empty answer and no attempt', async () => {
    const person = await bench.person();
    const withings = findProvider('withings') as Provider;
    const { tenantId, environment, providerAppId, id } = person.connection;
    const context = bench.contextWith({});
    const account = { tenantId, environment, providerAppId, connectionId: id, provider: withings, sandbox: true, calls: 'reads' } as const;
    const answers = ['{"status":601,"body":{},"error":"Too Many Requests"}', '{"status":0,"body":{}}'];
    const http: ProviderHttp = { send: async () => ({ status: 200, headers: {}, body: Buffer.from(answers.shift() ?? '') }) };
    const calls = new CallBudget(context, 1).open(http, account, 'live');
    const outcome = await withings.fetchRecords(
      'measure',
      { kind: 'days', from: '2026-09-14', to: '2026-09-15' },
      {
        http: calls,
        origins: withings.origins,
        accessToken: 'token',
        now: Date.now(),
        whereabouts: { profile: [], fallbackZone: undefined, tzdb: 'test' },
      },
    );
    expect(outcome.is).toBe('rate-limited');
    expect(calls.refusal).toMatchObject({ scope: 'app', kind: 'live' });
    await calls.close();
    const another = new CallBudget(bench.contextWith({}), 1).open(http, account, 'live');
    await expect(another.send({ method: 'POST', url: 'https://wbsapi.withings.net/measure' })).rejects.toThrow(CallsRefused);
    expect(answers).toHaveLength(1);
  });

  it('of the check of a grant is a pause and not a failure', async () => {
    const person = await bench.person();
    const { tenantId, environment, id } = person.connection;
    await bench.db.pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, due_at)
       values ($1, $2, $3, 'grant', 'whole', '', '', now())`,
      [tenantId, environment, id],
    );
    bench.oura.fault = refusing;
    await bench.fetch(person, worker([day(1_000)]));
    expect(await states(person)).toMatchObject([{ state: 'waiting', attempts: 0, last_error: 'rate_limited' }]);
  });
});

describe('calls', () => {
  it('are counted by provider and class, and refusals by whose budget it was', async () => {
    const person = await bench.person();
    const context = worker([day(10)]);
    await owe(person, 3, 0);
    await owe(person, 9, 1);
    await bench.fetch(person, context);
    const valuesOf = async (metric: { get(): Promise<{ values: { labels: object; value: number }[] }> }) =>
      (await metric.get()).values.map(({ labels, value }) => [labels, value]);
    expect(await valuesOf(context.metrics.calls)).toEqual(
      expect.arrayContaining([
        [{ provider: 'oura', class: 'live' }, 3],
        [{ provider: 'oura', class: 'backfill' }, 4],
      ]),
    );
    const [[labels, value] = []] = await valuesOf(context.metrics.callRefusals);
    expect(labels).toEqual({ provider: 'oura', scope: 'app', class: 'backfill', by: 'budget' });
    expect(value).toBeGreaterThanOrEqual(1);
  });
});
