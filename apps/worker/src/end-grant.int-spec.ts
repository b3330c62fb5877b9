import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimedWindow, claimWindows, drawRevisions, setScopes } from '@tributary/storage';
import { type Person, Workbench } from '../testing/workbench.js';
import { endGrant } from './end-grant.js';
import { followPermissions } from './permissions.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

async function reader(): Promise<{ person: Person; window: ClaimedWindow }> {
  const person = await bench.person({ connection: { scopes: ['daily', 'heartrate'] } });
  await bench.window(person, { collection: 'daily_activity', from: '2026-09-14', to: '2026-09-15' });
  const [window] = await claimWindows(bench.db.pool, { ...person.scope, lane: 0 }, { limit: 1, leaseMs: 30_000 });
  if (window === undefined) throw new Error('Nothing was due');
  return { person, window };
}

/** Somebody refreshes a token of the person until `act` waits for it. @returns what another one draws from the counter meanwhile. */
async function drawnMeanwhile({ scope, connection }: Person, act: () => Promise<unknown>): Promise<unknown> {
  const { pool } = bench.db;
  const refresher = await pool.connect();
  const other = await pool.connect();
  try {
    await refresher.query('begin');
    await refresher.query('select 1 from connection where id = $1 for no key update', [connection.id]);
    const acting = act();
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    for (const end = Date.now() + 5_000; (await pool.query(waits)).rows.length === 0; )
      if (Date.now() > end) throw new Error('Nobody waits for the refresh');
    await other.query(`begin; set local lock_timeout = '500ms'`);
    const drawn = await drawRevisions(other, scope, 1).catch((error: Error) => error.message);
    await other.query('rollback');
    await refresher.query('commit');
    await acting;
    return drawn;
  } finally {
    other.release();
    refresher.release();
  }
}

describe('while a token is refreshed, which may take as long as a provider likes', () => {
  it('the end of that grant waits, and nobody else of the environment does', async () => {
    const { person, window } = await reader();
    expect(await drawnMeanwhile(person, () => endGrant(bench.context, window, () => true))).toBe(1);
    expect((await bench.events(person)).map(({ type, revision }) => [type, revision])).toEqual([['connection.reauthRequired', 1]]);
  });

  it('the event of other permissions waits, and nobody else of the environment does', async () => {
    const { person, window } = await reader();
    await setScopes(bench.db.pool, person.scope, person.connection.id, ['daily']);
    expect(await drawnMeanwhile(person, () => followPermissions(bench.context, window, { collections: {} }, ['daily']))).toBe(1);
    expect((await bench.events(person)).map(({ type, revision }) => [type, revision])).toEqual([['connection.updated', 1]]);
  });
});
