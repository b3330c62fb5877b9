import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findUnresolved, insertRenewal, savePriority } from '@tributary/storage';
import fc from 'fast-check';
import { type ViewRow, resolveAll, viewOf } from '../testing/resolved-view.js';
import { type SourceColumns, putSource } from '../testing/source-rows.js';
import { type Person, Workbench } from '../testing/workbench.js';
import { resolveViews } from './resolve-views.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

const DAY = '2026-09-14';
const today = () => new Date().toISOString().slice(0, 10);
const resolve = (person: Person) => resolveAll(bench, person);
const view = (person: Person, metric?: string) => viewOf(bench, person, metric);
const one = async (person: Person, metric?: string): Promise<ViewRow> => (await view(person, metric))[0] as ViewRow;
const steps = (provider: string, value: number, rest: SourceColumns = {}): SourceColumns => ({
  provider,
  metric: 'steps',
  unit: '{steps}',
  local_date: DAY,
  value,
  ...rest,
});

describe('lists of preferred sources', () => {
  const prefer = async (person: Person, provider: string, userId?: string) => {
    await savePriority(bench.db.pool, person.scope, { userId, metric: 'steps', entries: [{ by: 'provider', is: provider }] });
    await insertRenewal(bench.db.pool, person.scope, { id: `ren_${provider}${userId ?? ''}`, userId, metric: 'steps', days: 30 });
  };

  it("a changed list judges the last days anew, also an open one, and only those; a user's own list stands before the tenant's", async () => {
    const person = await bench.person();
    const days = [today(), DAY];
    for (const local_date of days) {
      await putSource(bench, person, 'daily', steps('garmin', 10, { local_date }));
      await putSource(bench, person, 'daily', steps('google', 5, { type: 'phone', local_date }));
    }
    await resolve(person);
    const picks = async () =>
      Object.fromEntries((await view(person)).map((row) => [row.local_date, [row.picked?.split('/')[0], row.change]]));
    expect(await picks()).toEqual({ [today()]: ['garmin', 'created'], [DAY]: ['garmin', 'created'] });
    await prefer(person, 'google');
    expect((await findUnresolved(bench.db.pool)).map(({ tenantId }) => tenantId)).toContain(person.scope.tenantId);
    expect(await resolve(person)).toBe(1);
    expect(await picks()).toEqual({ [today()]: ['google', 're_resolved'], [DAY]: ['garmin', 'created'] });
    await prefer(person, 'garmin', person.user.id);
    await resolve(person);
    expect((await picks())[today()]).toEqual(['garmin', 're_resolved']);
    expect(await bench.rows('select id from resolved_renewal where tenant_id = $1', person)).toEqual([]);
  });

  it('a renewal of many users goes on where it stopped', async () => {
    const person = await bench.person();
    for (let n = 0; n < 60; n += 1) {
      const user = await bench.seed.user(person.scope);
      const other = { ...person, user };
      await putSource(bench, other, 'daily', steps('garmin', 10, { local_date: today() }));
      await putSource(bench, other, 'daily', steps('google', 5, { type: 'phone', local_date: today() }));
    }
    await resolve(person);
    await prefer(person, 'google');
    const first = await resolveViews(bench.context, person.scope);
    expect([first.changed.length > 0, first.changed.length < 60, first.more]).toEqual([true, true, true]);
    await resolve(person);
    expect((await view(person)).filter((row) => row.picked?.startsWith('google') && row.change === 're_resolved')).toHaveLength(60);
  });
});

describe('the way of the view', () => {
  it('a part that is killed before its commit has done nothing, and is done again', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('garmin', 10));
    const dies = bench.contextWith({
      pool: new Proxy(bench.db.pool, {
        get: (pool, name) =>
          name === 'connect'
            ? async () => {
                const client = await pool.connect();
                return new Proxy(client, {
                  get(target, key) {
                    if (key === 'query')
                      return (asked: { name?: string }) => {
                        if (asked.name === 'resolved/move-progress') throw new Error('killed');
                        return target.query(asked as never);
                      };
                    const value = Reflect.get(target, key) as unknown;
                    return typeof value === 'function' ? (value.bind(target) as unknown) : value;
                  },
                });
              }
            : Reflect.get(pool, name),
      }),
    });
    await expect(resolveViews(dies, person.scope)).rejects.toThrow('killed');
    expect(await view(person)).toEqual([]);
    expect(await resolve(person)).toBe(1);
    expect((await one(person)).revision).toBe(2);
  });

  it('a day that we cannot judge keeps no other waiting, and is not looked at again without a pause', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('garmin', 10));
    await resolve(person);
    await bench.db.pool.query(
      `update resolved_record set resolution = '{"picked": 5, "challenger": null}', judge_again_at = now() - interval '1 s' where tenant_id = $1`,
      [person.scope.tenantId],
    );
    await bench.db.pool.query(`update daily_rollup set source = 'null' where tenant_id = $1`, [person.scope.tenantId]);
    await putSource(bench, person, 'daily', steps('garmin', 11, { local_date: '2026-09-15' }));
    expect(await resolve(person)).toBe(1);
    expect((await findUnresolved(bench.db.pool)).map(({ tenantId }) => tenantId)).not.toContain(person.scope.tenantId);
    expect((await view(person)).map(({ local_date }) => local_date)).toEqual([DAY, '2026-09-15']);
  });

  it('two processes at once bring it as far as one, and write every change once', async () => {
    const person = await bench.person();
    for (let n = 0; n < 40; n += 1)
      await putSource(bench, person, 'daily', steps('garmin', n, { local_date: `2026-08-${String(1 + (n % 20)).padStart(2, '0')}` }));
    const parts = await Promise.all([1, 2, 3].map(() => resolveViews(bench.context, person.scope)));
    expect(parts.map(({ changed }) => changed.length).sort((a, b) => b - a)).toEqual([20, 0, 0]);
    expect(new Set((await view(person)).map(({ revision }) => revision)).size).toBe(20);
  });

  it('goes on beside changes that come meanwhile, and misses none', async () => {
    const person = await bench.person();
    const writing = (async () => {
      for (let n = 0; n < 60; n += 1)
        await putSource(bench, person, 'daily', steps('garmin', n, { local_date: `2026-08-${String(1 + (n % 9)).padStart(2, '0')}` }));
    })();
    let ended = false;
    void writing.then(() => (ended = true));
    while (!ended) await resolveViews(bench.context, person.scope);
    await resolve(person);
    const behind = await bench.rows(
      `select d.local_date from daily_rollup d where tenant_id = $1 and not exists (select 1 from resolved_record r
         where r.tenant_id = $1 and r.local_date = d.local_date and r.revision > d.revision)`,
      person,
    );
    expect(behind).toEqual([]);
    expect(await view(person)).toHaveLength(9);
  });

  it('writes nothing of somebody who was erased meanwhile', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('garmin', 10));
    const gone = await bench.seed.user(person.scope);
    await putSource(bench, { ...person, user: gone }, 'daily', steps('garmin', 11));
    await bench.db.pool.query('delete from app_user where tenant_id = $1 and id = $2', [person.scope.tenantId, gone.id]);
    await resolve(person);
    expect(await bench.rows('select user_id from resolved_record where tenant_id = $1', person)).toEqual([{ user_id: person.user.id }]);
  });

  it('any order of arrival of the same source rows, in any parts, ends in the same view', async () => {
    const providers = ['garmin', 'google', 'oura', 'polar'] as const;
    const row = fc.record({
      kind: fc.constantFrom('daily' as const, 'session' as const),
      provider: fc.constantFrom(...providers),
      type: fc.constantFrom('watch', 'phone', 'platform_merged'),
      origin: fc.option(fc.constantFrom(...providers), { nil: undefined }),
      day: fc.constantFrom(DAY, today()),
      coverage: fc.option(fc.constantFrom(0.1, 0.5, 1), { nil: null }),
      start: fc.integer({ min: 0, max: 4 }),
      deleted: fc.boolean(),
    });
    const history = fc.uniqueArray(row, {
      minLength: 2,
      maxLength: 8,
      selector: ({ kind, provider, type, day }) => `${kind} ${provider} ${type} ${kind === 'daily' ? day : ''}`,
    });
    const orders = history.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.shuffledSubarray([...rows.keys()], { minLength: rows.length }),
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      ),
    );
    const put = (
      person: Person,
      { kind, provider, type, origin, day, coverage, start, deleted }: typeof history extends fc.Arbitrary<(infer R)[]> ? R : never,
    ) => {
      const rest = { type, origin, coverage, deleted };
      return kind === 'daily'
        ? putSource(bench, person, 'daily', steps(provider, 5, { ...rest, local_date: day }))
        : putSource(
            bench,
            person,
            'session',
            ride(provider, [`0${start}:00`, `0${start + 2}:00`], { ...rest, local_date: day, record_id: `${provider}-${type}` }),
          );
    };
    const ended = async (person: Person) => {
      for (let n = 0; n < 3; n += 1) {
        await resolve(person);
        await bench.db.pool.query(`update resolved_record set judge_again_at = now() where tenant_id = $1 and judge_again_at is not null`, [
          person.scope.tenantId,
        ]);
      }
      await resolve(person);
      return (await view(person))
        .filter(({ deleted }) => !deleted)
        .map(({ kind, local_date, item, picked, resolution }) => ({ kind, local_date, item, picked, resolution }));
    };
    await fc.assert(
      fc.asyncProperty(orders, async ([rows, order, pauses]) => {
        const [straight, shuffled] = [await bench.person(), await bench.person()];
        for (const one of rows) await put(straight, one);
        for (const [n, index] of order.entries()) {
          await put(shuffled, rows[index] as (typeof rows)[number]);
          if (pauses[n]) await resolve(shuffled);
        }
        expect(await ended(shuffled)).toEqual(await ended(straight));
      }),
      { numRuns: 25 },
    );

    function ride(provider: string, [from, to]: [string, string], rest: SourceColumns): SourceColumns {
      const day = String(rest['local_date']);
      const times = { started_at: `${day}T${from}:00Z`, ended_at: `${day}T${to}:00Z` };
      return { provider, kind: 'workout', detail: JSON.stringify({ sport: 'running', subSport: null }), ...times, ...rest };
    }
  });
});
