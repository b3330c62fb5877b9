import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type TestDatabase, cloneDatabase } from '../../storage/testing/clone-database.js';
import { type VerifiedEvent } from './events.js';
import { type Handler } from './handle-once.js';
import { claimTableSql, postgresRecords, postgresStore, postgresTransactions, recordTablesSql } from './postgres.js';
import { type PostgresClient } from './postgres-client.js';
import { type Problem, replyTo } from './receiver-outcome.js';
import { createReceiver } from './receiver.js';
import { exampleSecret, signedExample } from './testing.js';

let db: TestDatabase;
let made = 0;

beforeAll(async () => {
  db = await cloneDatabase();
  await db.pool.query(claimTableSql());
  await db.pool.query(recordTablesSql());
  await db.pool.query('create table effect (id text not null, note text)');
});
afterAll(() => db.drop());

type InHandler = Handler<VerifiedEvent, pg.PoolClient>;

function scene(otherwise: InHandler, pool: pg.Pool = db.pool) {
  const problems: Problem[] = [];
  const receiver = createReceiver({
    secrets: exampleSecret,
    store: postgresTransactions<pg.PoolClient>(pool),
    handlers: { otherwise },
    onProblem: (problem) => problems.push(problem),
  });
  return { problems, receiver };
}

const example = async (id = `evt_tx_${++made}`) => ({ id, request: await signedExample('daily.updated', { secret: exampleSecret, id }) });
const note: InHandler = async (event, { transaction }) => void (await transaction.query('insert into effect (id) values ($1)', [event.id]));
const effectsOf = async (id: string) => (await db.pool.query('select id from effect where id = $1', [id])).rows.length;
const claimOf = async (id: string) =>
  (await db.pool.query('select done_at is not null as done from tributary_claim where webhook_id = $1', [id])).rows;

describe('a receiver in transactional mode', () => {
  it('keeps effect and completion together, and a duplicate does nothing', async () => {
    const { receiver, problems } = scene(note);
    const { id, request } = await example();
    expect((await receiver.receive(request)).is).toBe('handled');
    expect((await receiver.receive(request)).is).toBe('duplicate');
    expect([await effectsOf(id), await claimOf(id), problems]).toEqual([1, [{ done: true }], []]);
  });

  it('undoes effect and claim of a handler that fails; the next attempt does both', async () => {
    let fails = true;
    const { receiver, problems } = scene(async (event, context) => {
      await note(event, context);
      if (fails) throw new Error('no disk');
    });
    const { id, request } = await example();
    expect(replyTo(await receiver.receive(request)).status).toBe(500);
    expect([await effectsOf(id), await claimOf(id)]).toEqual([0, []]);
    expect(problems).toEqual([expect.objectContaining({ stage: 'handler', error: new Error('no disk') })]);
    fails = false;
    expect((await receiver.receive(request)).is).toBe('handled');
    expect(await effectsOf(id)).toBe(1);
  });

  it('does not take a transaction for done that a swallowed error has spoiled', async () => {
    const { receiver, problems } = scene(async (event, context) => {
      await note(event, context);
      await context.transaction.query('select no_such_column').catch(() => undefined);
    });
    const { id, request } = await example();
    expect((await receiver.receive(request)).is).toBe('failed');
    expect([await effectsOf(id), await claimOf(id)]).toEqual([0, []]);
    expect(problems).toEqual([expect.objectContaining({ stage: 'complete' })]);
  });

  it('tells a second attempt to come back at once while the first has the event, and runs one handler', async () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let began: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => (began = resolve));
    const { receiver } = scene(async (event, context) => {
      began();
      await opened;
      await note(event, context);
    });
    const { id, request } = await example();
    const first = receiver.receive(request);
    await beginning;
    expect(replyTo(await receiver.receive(request))).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    open();
    expect((await first).is).toBe('handled');
    expect((await receiver.receive(request)).is).toBe('duplicate');
    expect(await effectsOf(id)).toBe(1);
  });

  it('leaves nothing behind when its connection dies before the commit, and does it once when the event comes again', async () => {
    let dies = true;
    const { receiver } = scene(async (event, context) => {
      await note(event, context);
      const { rows } = await context.transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
      if (!dies) return;
      // Between two statements, where nothing but the client itself can notice: without a listener Node would end the process.
      const ended = new Promise((resolve) => context.transaction.once('end', resolve));
      await db.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
    });
    const { id, request } = await example();
    expect((await receiver.receive(request)).is).toBe('failed');
    expect([await effectsOf(id), await claimOf(id)]).toEqual([0, []]);
    dies = false;
    expect((await receiver.receive(request)).is).toBe('handled');
    expect(await effectsOf(id)).toBe(1);
  });

  it('writes a value and its claim together', async () => {
    const { receiver } = scene(async (event, { transaction }) => {
      expect(await postgresRecords(transaction).applyIfNewer(event)).toBe('applied');
      throw new Error('afterwards');
    });
    const { request } = await example();
    await receiver.receive(request);
    expect((await db.pool.query('select 1 from tributary_record')).rows).toEqual([]);
  });

  it('respects a lease that is held, and takes over one that ended', async () => {
    const { receiver } = scene(note);
    const leases = postgresStore(db.pool);
    const { id, request } = await example();
    const key = { endpoint: 'default', id };
    const claim = await leases.claim(key, 30);
    expect(await receiver.receive(request)).toMatchObject({ is: 'in-progress' });
    await db.pool.query(`update tributary_claim set leased_until = now() - interval '1 s' where webhook_id = $1`, [id]);
    expect((await receiver.receive(request)).is).toBe('handled');
    expect(await leases.complete(key, (claim as { token: string }).token)).toBe(false);
    expect(await leases.claim(key, 30)).toEqual({ is: 'done' });
    expect(await effectsOf(id)).toBe(1);
  });

  it('works in the transactions of another library, with whatever that calls a transaction', async () => {
    interface Manager {
      readonly insert: (id: string) => Promise<unknown>;
    }
    const store = postgresTransactions<Manager>(async (work) => {
      const client = await db.pool.connect();
      try {
        await client.query('begin');
        const once = await work(client, { insert: (id) => client.query('insert into effect (id) values ($1)', [id]) });
        await client.query('commit');
        return once;
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    });
    const receiver = createReceiver({
      secrets: exampleSecret,
      store,
      handlers: { 'daily.updated': async (event, { transaction }) => void (await transaction.insert(event.id)) },
    });
    const { id, request } = await example();
    expect((await receiver.receive(request)).is).toBe('handled');
    expect((await receiver.receive(request)).is).toBe('duplicate');
    expect(await effectsOf(id)).toBe(1);
  });

  it('answers 500 when the database cannot be reached, and runs no handler', async () => {
    const nowhere = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing', connectionTimeoutMillis: 2_000 });
    let runs = 0;
    const { receiver } = scene(() => void runs++, nowhere);
    const outcome = await receiver.receive((await example()).request);
    expect([outcome.is, outcome.is === 'failed' && outcome.stage, replyTo(outcome).status, runs]).toEqual(['failed', 'claim', 500, 0]);
    await nowhere.end();
  });

  it('gives its connections back, whatever happened', async () => {
    const pool = new pg.Pool({ connectionString: db.url, max: 1 });
    pool.on('error', () => undefined);
    let turn = 0;
    const { receiver } = scene(async (event, context) => {
      turn++;
      if (turn % 3 === 1) throw new Error('no disk');
      if (turn % 3 === 2) await context.transaction.query('select no_such_column').catch(() => undefined);
      await Promise.resolve(note(event, context)).catch(() => undefined);
    }, pool);
    for (let n = 0; n < 9; n++) await receiver.receive((await example()).request);
    expect([turn, pool.totalCount, pool.waitingCount, pool.idleCount]).toEqual([9, 1, 0, 1]);
    const client = await pool.connect();
    expect(client.listenerCount('error')).toBe(0);
    client.release();
    const { rows } = (await (pool as PostgresClient).query('select pg_current_xact_id_if_assigned() as open', [])) as { rows: unknown[] };
    expect(rows).toEqual([{ open: null }]);
    await pool.end();
  });
});
