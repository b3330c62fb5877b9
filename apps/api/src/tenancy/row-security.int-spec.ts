import { randomBytes } from 'node:crypto';
import { type AddressInfo, type Socket, connect as connectTcp, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { connect, inTransaction, scopedPool } from '@tributary/storage';
import { fillTables } from '../../../../migrations/testing/fill-tables.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { type RequestAccess, accessNow, decideAccess, visibleRows, withAccess } from './request-access.js';

/** Tables of nobody in particular, each with the reason. */
const NOT_OF_TENANTS: Readonly<Record<string, string>> = { schema_step: 'which steps ran; the role has no right to it' };

/** Tables that the role could use and that no policy guards, and those that hold a tenant's rows and have none. */
const UNGUARDED = `
  select c.relname as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
    and not (c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))
  order by 1`;

describe('the rows that the API may see', () => {
  let api: RunningApi;
  let mine: SeededEnvironment;
  let theirs: SeededEnvironment;
  let database: Awaited<ReturnType<typeof connect>>;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    mine = await api.seed.environment();
    theirs = await api.seed.environment();
    for (const scope of [mine, theirs]) await api.seed.connection(await api.seed.app(scope), await api.seed.user(scope));
    database = await connect({ url: api.db.url, poolSize: 2, applicationName: 'tributary-tests', visibleRows });
  });
  afterAll(async () => {
    await database.close();
    await api.stop();
  });

  const unguarded = async () =>
    (await api.rows<{ name: string }>(UNGUARDED)).map(({ name }) => name).filter((name) => NOT_OF_TENANTS[name] === undefined);
  const pool = () => scopedPool(() => database.pool);
  const as = <T>(scope: SeededEnvironment, work: () => Promise<T>) =>
    withAccess({ access: { is: 'caller', scope } } satisfies RequestAccess, work);
  const users = { name: 'every-user', text: 'select tenant_id from app_user where $1::int = 1', values: [1] };

  it('every table has a policy, and one that is forgotten is found', async () => {
    expect(await unguarded()).toEqual([]);
    await api.db.pool.query('create table diary (tenant_id text, environment text, said text)');
    expect(await unguarded()).toEqual(['diary']);
    await api.db.pool.query('drop table diary');
  });

  it('a statement without any scope sees the caller, and without a caller nothing', async () => {
    expect((await as(mine, () => pool().query(users))).rows).toEqual([{ tenant_id: mine.tenantId }]);
    expect((await as(theirs, () => pool().query(users))).rows).toEqual([{ tenant_id: theirs.tenantId }]);
    expect((await database.pool.query(users)).rows).toEqual([]);
    expect((await database.pool.query('select count(*)::int as n from app_user')).rows).toEqual([{ n: 0 }]);
    expect((await withAccess({ access: { is: 'undecided' } }, () => pool().query(users))).rows).toEqual([]);
  });

  it('the other environment of the same tenant is another one', async () => {
    const live = await api.seed.environment({ tenantId: mine.tenantId, environment: 'live' });
    expect((await as(live, () => pool().query(users))).rows).toEqual([]);
  });

  it('of every table, with a row in it, nothing of another tenant is seen, changed or deleted', async () => {
    const client = await api.db.pool.connect();
    const tables = await fillTables(client).finally(() => client.release());
    const scoped = (
      await api.rows<{ name: string }>(
        `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'environment'`,
      )
    )
      .map(({ name }) => name)
      .filter((name) => tables.has(name));
    expect(scoped.length).toBeGreaterThan(30);
    const nobody = { tenantId: 'ten_nobody', environment: 'test' } as const;
    for (const table of scoped) {
      const count = async () => (await api.rows<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n;
      const before = await count();
      expect([table, before]).not.toEqual([table, 0]);
      await as(nobody, async () => {
        const seen = await pool().query({ name: `see-${table}`, text: `select 1 from ${table} where $1::int = 1`, values: [1] });
        const gone = await pool().query({ name: `end-${table}`, text: `delete from ${table} where $1::int = 1`, values: [1] });
        const moved = await pool().query({
          name: `move-${table}`,
          text: `update ${table} set environment = 'live' where $1::int = 1`,
          values: [1],
        });
        expect([table, seen.rowCount, gone.rowCount, moved.rowCount]).toEqual([table, 0, 0, 0]);
      });
      expect([table, await count()]).toEqual([table, before]);
    }
  });

  it('a row cannot be written into another tenant', async () => {
    const insert = (to: SeededEnvironment, id: string) =>
      as(mine, () =>
        pool().query({
          name: 'new-user',
          text: 'insert into app_user (tenant_id, environment, id, external_id) values ($1, $2, $3, $3)',
          values: [to.tenantId, to.environment, id],
        }),
      );
    await expect(insert(theirs, 'usr_x')).rejects.toMatchObject({ code: '42501' });
    await expect(insert(mine, 'usr_y')).resolves.toMatchObject({ rowCount: 1 });
    expect(await api.rows(`select tenant_id from app_user where id in ('usr_x', 'usr_y')`)).toEqual([{ tenant_id: mine.tenantId }]);
  });

  it('many callers at once on two connections each see their own, alone and in transactions', async () => {
    const scopes = await Promise.all(Array.from({ length: 8 }, () => api.seed.environment()));
    for (const scope of scopes) await api.seed.user(scope);
    const looks = Array.from({ length: 200 }, (_, n) => scopes[n % scopes.length] as SeededEnvironment).map((scope, n) =>
      as(scope, async () => {
        const { rows } =
          n % 3 === 0 ? await inTransaction(pool(), (client) => client.query<{ tenant_id: string }>(users)) : await pool().query(users);
        return { rows, scope };
      }),
    );
    for (const { rows, scope } of await Promise.all(looks)) expect(rows).toEqual([{ tenant_id: scope.tenantId }]);
    // And nothing stays behind on the connections.
    expect((await database.pool.query(users)).rows).toEqual([]);
  });

  it('a key is found by its whole value alone', async () => {
    const { id } = await api.key(mine);
    const [row] = await api.rows<{ hash: Buffer }>('select hash from api_key where id = $1', [id]);
    const keys = { name: 'every-key', text: 'select id from api_key where $1::int = 1', values: [1] };
    await withAccess({ access: { is: 'undecided' } }, async () => {
      decideAccess({ is: 'key', hash: row?.hash as Buffer });
      expect((await pool().query(keys)).rows).toEqual([{ id }]);
      decideAccess({ is: 'key', hash: Buffer.alloc(32) });
      expect((await pool().query(keys)).rows).toEqual([]);
      expect((await pool().query(users)).rows).toEqual([]);
    });
  });

  it('a statement that fails leaves the connection and its prepared statements usable', async () => {
    await as(mine, async () => {
      for (let tries = 0; tries < 3; tries += 1) {
        await expect(pool().query({ name: 'faulty', text: 'select nothing_of_that_name($1::int)', values: [1] })).rejects.toMatchObject({
          code: '42883',
        });
        await expect(pool().query({ name: 'divides', text: 'select 1 / $1::int as n', values: [0] })).rejects.toMatchObject({
          code: '22012',
        });
        expect((await pool().query({ name: 'divides', text: 'select 1 / $1::int as n', values: [1] })).rows).toEqual([{ n: 1 }]);
        expect((await pool().query(users)).rows[0]).toEqual({ tenant_id: mine.tenantId });
      }
    });
  });

  it('outside of a request nobody can say whose rows are meant, which is an error and no empty list', () => {
    expect(() => accessNow()).toThrow('outside of any request');
    expect(() => decideAccess({ is: 'person' })).toThrow('no request');
  });

  /** PostgreSQL behind something that does not pass on the role that was asked for. */
  async function withoutRole(to: URL): Promise<{ url: string; stop(): void }> {
    const ends = new Set<Socket>();
    const pooler = createServer((near) => {
      const far = connectTcp(Number(to.port), to.hostname);
      for (const socket of [near, far]) ends.add(socket.on('error', () => socket.destroy()));
      near.once('data', (startup: Buffer) => {
        far.write(Buffer.from(startup.toString('latin1').replace('role=tributary_api', 'role=none         '), 'latin1'));
        near.pipe(far).pipe(near);
      });
    });
    await new Promise<void>((up) => {
      pooler.listen(0, '127.0.0.1', up);
    });
    const url = new URL(to);
    url.port = String((pooler.address() as AddressInfo).port);
    return {
      url: url.href,
      stop() {
        for (const socket of ends) socket.destroy();
        pooler.close();
      },
    };
  }

  it('behind a pooler that drops the role, and with a user who may not take it on, nothing starts', async () => {
    const pooler = await withoutRole(new URL(api.db.url));
    const options = { poolSize: 1, applicationName: 'tributary-tests', visibleRows };
    try {
      await expect(connect({ ...options, url: pooler.url })).rejects.toThrow(/instead of tributary_api.*"options"/);
    } finally {
      pooler.stop();
    }
    const name = `stranger_${randomBytes(5).toString('hex')}`;
    await api.db.pool.query(`create role ${name} login password 'x'`);
    const url = Object.assign(new URL(api.db.url), { username: name, password: 'x' });
    try {
      await expect(connect({ ...options, url: url.href })).rejects.toThrow('grant tributary_api to that user');
    } finally {
      await api.db.pool.query(`drop role ${name}`);
    }
  });
});
