import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { CuttableProxy } from '../testing/cuttable-proxy.js';
import { ouraEvent, ouraHeaders, startIngest } from '../testing/start-ingest.js';

// doubles: the wire to Postgres, which a test cuts.  oracles: answers, rows.
let db: TestDatabase;
let app: SeededApp;
const keys = new KeyRing(TEST_KEYS);

beforeAll(async () => {
  db = await cloneDatabase();
  const seed = new Seed(db.pool, keys);
  app = await seed.app(await seed.environment());
  await seed.connection(app, await seed.user(app), { subjectId: 'ann' });
});
afterAll(() => db.drop());

describe('when something is away', () => {
  it('a store that does not answer means 503, and every delivery that was acknowledged is there afterwards', async () => {
    const proxy = new CuttableProxy(new URL(db.url));
    const through = await startIngest(await proxy.url());
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    let cut = false;
    const sender = async (name: string) => {
      for (let n = 0; n < 60; n += 1) {
        const object_id = `${name}-${n}`;
        const body = ouraEvent({ user_id: 'ann', object_id });
        const { status } = await through.send(`/in/oura/${app.appKey}`, { headers: ouraHeaders(body, app.clientSecret), body });
        statuses.add(status);
        if (status === 200) acknowledged.push(object_id);
        if (n === 20 && !cut) {
          cut = true;
          await proxy.cut();
          setTimeout(() => void proxy.restore(), 300);
        }
        if (status !== 200)
          await new Promise((resolve) => {
            setTimeout(resolve, 20);
          });
      }
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(sender));
    const body = ouraEvent({ user_id: 'ann', object_id: 'last' });
    const last = await through.send(`/in/oura/${app.appKey}`, { headers: ouraHeaders(body, app.clientSecret), body });
    await through.close();
    await proxy.cut();
    expect(last.status).toBe(200);
    expect(statuses).toEqual(new Set([200, 503]));
    const stored = new Set((await db.pool.query('select window_start from webhook_notice')).rows.map((row) => row.window_start as string));
    expect(acknowledged.filter((object) => !stored.has(object))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(100);
  });

  it('a queue that is away delays and loses nothing', async () => {
    const alone = await cloneDatabase();
    try {
      const seeded = new Seed(alone.pool, keys);
      const theirs = await seeded.app(await seeded.environment());
      await seeded.connection(theirs, await seeded.user(theirs), { subjectId: 'ann' });
      const queueless = await startIngest(alone.url);
      await alone.pool.query('drop schema bullmq cascade');
      const started = performance.now();
      for (let n = 0; n < 10; n += 1) {
        const body = ouraEvent({ user_id: 'ann', object_id: `o${n}` });
        expect((await queueless.send(`/in/oura/${theirs.appKey}`, { headers: ouraHeaders(body, theirs.clientSecret), body })).status).toBe(
          200,
        );
      }
      expect(performance.now() - started).toBeLessThan(5_000);
      const { rows: stored } = await alone.pool.query('select count(*)::int as n from webhook_notice');
      expect(stored).toEqual([{ n: 10 }]);
      await queueless.close();
    } finally {
      await alone.drop();
    }
  });
});
