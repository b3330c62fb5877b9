import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, type SeededConnection } from '../../testing/seed.js';
import { openAbsenceLetter } from './open-absence-letter.js';
import { openLook } from './open-look.js';

let db: TestDatabase;
let connection: SeededConnection;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());
beforeEach(async () => {
  const seed = new Seed(db.pool, { seal: (plain) => Buffer.from(plain) });
  const scope = await seed.environment();
  connection = await seed.connection(await seed.app(scope), await seed.user(scope));
});

const HOUR_MS = 3_600_000;
const scopeOf = () => ({ tenantId: connection.tenantId, environment: connection.environment, connectionId: connection.id });

describe('a look at some days', () => {
  const look = (inMs: number) =>
    openLook(db.pool, { ...scopeOf(), collection: 'heartrate', from: '2026-09-13', to: '2026-09-16', dueAt: Date.now() + inMs });
  const window = async () => {
    const { rows } = await db.pool.query(
      `select state, dirty, priority, attempts, lease_token is not null as leased,
         round(extract(epoch from due_at - clock_timestamp()) / 3600)::int as hours from fetch_window where tenant_id = $1`,
      [connection.tenantId],
    );
    return rows as Record<string, unknown>[];
  };
  const turn = (to: string) => db.pool.query(`update fetch_window set ${to} where tenant_id = $1`, [connection.tenantId]);

  it('comes as soon as the more urgent of two wishes, whichever was first', async () => {
    await look(24 * HOUR_MS);
    await look(0);
    expect(await window()).toMatchObject([{ state: 'waiting', hours: 0, dirty: false }]);
    await look(24 * HOUR_MS);
    expect(await window()).toMatchObject([{ state: 'waiting', hours: 0, dirty: false }]);
  });

  it('follows a read that is under way, which keeps its lease; one for later need not', async () => {
    await look(0);
    await turn(`state = 'fetching', lease_token = gen_random_uuid(), attempts = 2, due_at = now() + interval '2 hours'`);
    await look(24 * HOUR_MS);
    expect(await window()).toMatchObject([{ state: 'fetching', dirty: false, leased: true, attempts: 2, hours: 2 }]);
    await look(-1);
    expect(await window()).toMatchObject([{ state: 'fetching', dirty: true, leased: true, attempts: 2, hours: 2 }]);
  });

  it('opens what was settled, and leaves what waits for consent', async () => {
    await look(0);
    await turn(`state = 'settled', priority = 0, attempts = 1`);
    await look(24 * HOUR_MS);
    expect(await window()).toMatchObject([{ state: 'waiting', priority: 2, attempts: 0, hours: 24 }]);
    await turn(`state = 'parked'`);
    await look(0);
    expect(await window()).toMatchObject([{ state: 'parked', hours: 24 }]);
  });
});

describe('a letter about much that is missing', () => {
  it('is not written for somebody who is being erased', async () => {
    const eraser = await db.pool.connect();
    await eraser.query('begin');
    await eraser.query('select 1 from connection where id = $1 for update', [connection.id]);
    const letter = { from: '2026-09-14', to: '2026-09-15', detail: '5 of 9 rows', normalizerVersion: 1 };
    const writing = openAbsenceLetter(db.pool, { ...scopeOf(), ...letter, id: 'dl_1', collection: 'daily_activity' });
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    for (const end = Date.now() + 2_000; Date.now() < end && (await db.pool.query(waits)).rows.length === 0; );
    await eraser.query('delete from dead_letter where connection_id = $1', [connection.id]);
    await eraser.query('delete from connection where id = $1', [connection.id]);
    await eraser.query('commit');
    eraser.release();
    await writing;
    expect((await db.pool.query('select 1 from dead_letter where tenant_id = $1', [connection.tenantId])).rows).toEqual([]);
  });
});
