import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, type SeededApp, type SeededConnection } from '../../testing/seed.js';
import { fileNotices } from '../windows/file-notices.js';
import { acceptDeliveries } from './accept-deliveries.js';
import type { NewDelivery, NewNotice } from './new-delivery.js';
import { deliveryKey } from './delivery-key.js';
import { tellConnections } from './tell-connections.js';

let db: TestDatabase;
let seed: Seed;
let app: SeededApp;
let ann: SeededConnection;

beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, { seal: (plain) => Buffer.from(plain) });
});
afterAll(() => db.drop());
beforeEach(async () => {
  app = await seed.app(await seed.environment());
  ann = await seed.connection(app, await seed.user(app), { subjectId: 'ann' });
});

const hashOf = (subject: string, key = 'k1') => createHash('sha256').update(`${key}/${subject}`).digest();
const notice = (subjectId: string, id = 'o1'): NewNotice => ({
  subjectId,
  collection: 'sleep',
  kind: 'changed',
  window: { kind: 'object', id },
  version: 7,
  subjectHashes: [hashOf(subjectId), hashOf(subjectId, 'k0')],
});
const delivery = (change: Partial<NewDelivery> = {}): NewDelivery => ({
  tenantId: app.tenantId,
  environment: app.environment,
  providerAppId: app.id,
  deliveryId: randomUUID(),
  reopenable: false,
  signedAt: 1_796_000_000_123,
  grade: 'signed',
  secretId: 'sec_1',
  bodyHash: hashOf(change.deliveryId ?? randomUUID()),
  rawBody: Buffer.from('{}'),
  notices: [notice('ann')],
  ...change,
});
const deliveries = async () =>
  (
    await db.pool.query('select delivery_id, signed_at, raw_body from webhook_delivery where tenant_id = $1 order by delivery_id', [
      app.tenantId,
    ])
  ).rows;
const notices = async () =>
  (
    await db.pool.query(
      `select d.delivery_id, n.ordinal, n.connection_id, n.window_start, n.version, n.status, n.carried from webhook_notice n
       join webhook_delivery d using (tenant_id, environment, delivery_key) where n.tenant_id = $1 order by 1, 2, 3`,
      [app.tenantId],
    )
  ).rows;

describe('accepting deliveries in one statement', () => {
  it('answers each in the order given: new, duplicate, unknown', async () => {
    const [a, b, stranger] = [
      delivery({ deliveryId: 'a' }),
      delivery({ deliveryId: 'b' }),
      delivery({ deliveryId: 'c', notices: [notice('stranger')] }),
    ];
    expect(await acceptDeliveries(db.pool, [b])).toEqual(['new']);
    expect(await acceptDeliveries(db.pool, [stranger, b, a])).toEqual(['unknown', 'duplicate', 'new']);
    expect((await deliveries()).map((row) => row.delivery_id)).toEqual(['a', 'b']);
    expect(await notices()).toMatchObject([{ delivery_id: 'a', connection_id: ann.id, version: 7 }, { delivery_id: 'b' }]);
    expect((await deliveries())[0].signed_at).toEqual(new Date(1_796_000_000_123));
  });

  it('writes the same delivery once though it stands three times in a batch', async () => {
    const one = delivery({ deliveryId: 'a' });
    expect(await acceptDeliveries(db.pool, [one, delivery({ deliveryId: 'b' }), { ...one }, { ...one }])).toEqual([
      'new',
      'new',
      'duplicate',
      'duplicate',
    ]);
    expect((await notices()).map((row) => row.delivery_id)).toEqual(['a', 'b']);
  });

  it('takes the second body under one id for a duplicate', async () => {
    const [first, second] = [
      delivery({ deliveryId: 'a' }),
      delivery({ deliveryId: 'a', bodyHash: hashOf('other'), notices: [notice('ann', 'o2')] }),
    ];
    expect((await acceptDeliveries(db.pool, [first, second])).sort()).toEqual(['duplicate', 'new']);
    expect((await deliveries()).length).toBe(1);
    expect((await notices()).length).toBe(1);
  });

  it('says of one that is older than what was read that it is stale, and of one that is not, or is of the same second, that it is new', async () => {
    const read = Date.now() * 1000 - 3_600_000_000;
    await db.pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, state, due_at,
         covered_version) values ($1, $2, $3, 'sleep', 'object', 'o1', 'o1', 'settled', now(), $4)`,
      [app.tenantId, app.environment, ann.id, read],
    );
    const at = (version: number | undefined, id = 'o1') => delivery({ notices: [{ ...notice('ann', id), version }] });
    const second = Math.floor(read / 1_000_000) * 1_000_000;
    const told = [
      at(read - 1),
      at(read + 1),
      at(undefined),
      at(read - 1, 'o2'),
      delivery({ notices: [notice('ann'), notice('ann', 'o2')] }),
    ];
    expect(await acceptDeliveries(db.pool, told)).toEqual(['stale', 'new', 'new', 'new', 'new']);
    await db.pool.query('update fetch_window set covered_version = $1', [second]);
    expect(await acceptDeliveries(db.pool, [at(second), at(second - 1_000_000)])).toEqual(['new', 'stale']);
    // It is kept like any other, and what comes of it is for the filing to say.
    expect(new Set((await notices()).map((row) => row.status))).toEqual(new Set(['received']));
  });

  it('keeps no body where any subject is unknown, and the notices of those it knows', async () => {
    const mixed = delivery({ deliveryId: 'mixed', notices: [notice('stranger', 'o1'), notice('ann', 'o2')] });
    const whole = delivery({ deliveryId: 'whole', notices: [notice('ann', 'o1'), notice('ann', 'o2')] });
    expect(await acceptDeliveries(db.pool, [mixed, whole])).toEqual(['new-in-part', 'new']);
    expect(await acceptDeliveries(db.pool, [mixed])).toEqual(['duplicate']);
    expect((await deliveries()).map((row) => [row.delivery_id, row.raw_body])).toEqual([
      ['mixed', null],
      ['whole', Buffer.from('{}')],
    ]);
    expect((await notices()).map((row) => [row.delivery_id, row.ordinal, row.window_start])).toEqual([
      ['mixed', 1, 'o2'],
      ['whole', 0, 'o1'],
      ['whole', 1, 'o2'],
    ]);
  });

  it('refuses an erased subject under any key of the ring, in its own app only', async () => {
    const other = await seed.app(app);
    await seed.connection(other, await seed.user(other), { subjectId: 'ann' });
    await db.pool.query('insert into subject_tombstone (tenant_id, environment, provider_app_id, subject_hash) values ($1, $2, $3, $4)', [
      app.tenantId,
      app.environment,
      app.id,
      hashOf('ann', 'k0'),
    ]);
    expect(
      await acceptDeliveries(db.pool, [delivery({ deliveryId: 'a' }), delivery({ deliveryId: 'b', providerAppId: other.id })]),
    ).toEqual(['unknown', 'new']);
    expect((await deliveries()).map((row) => row.delivery_id)).toEqual(['b']);
  });

  it('writes nothing of a batch that Postgres refuses', async () => {
    const poison = delivery({ grade: 'forged' as 'signed' });
    await expect(acceptDeliveries(db.pool, [delivery(), poison])).rejects.toMatchObject({ code: '23514' });
    expect([await deliveries(), await notices()]).toEqual([[], []]);
  });

  it('does not deadlock when many batches hold the same deliveries in other orders', async () => {
    const all = Array.from({ length: 40 }, (_, n) => delivery({ deliveryId: `d${n}`, notices: [notice('ann', `o${n}`)] }));
    const batches = await Promise.all(Array.from({ length: 8 }, (_, n) => acceptDeliveries(db.pool, n % 2 ? all : [...all].reverse())));
    expect(batches.flat().filter((acceptance) => acceptance === 'new').length).toBe(40);
    expect((await notices()).length).toBe(40);
  });

  it('takes a batch of nothing but one that knows nobody', async () => {
    expect(await acceptDeliveries(db.pool, [delivery({ notices: [notice('x'), notice('y')] })])).toEqual(['unknown']);
    expect([await deliveries(), await notices()]).toEqual([[], []]);
  });

  it('one body under two ids of the provider is two deliveries, with a window of its own each', async () => {
    const bodyHash = hashOf('same bytes');
    const one = delivery({ deliveryId: 'msg_1', bodyHash });
    const two = delivery({ deliveryId: 'msg_2', bodyHash });
    expect(await acceptDeliveries(db.pool, [one, two, one])).toEqual(['new', 'new', 'duplicate']);
    expect((await notices()).map((row) => row.delivery_id)).toEqual(['msg_1', 'msg_2']);
  });

  it('asks the next body under an id when nobody knows the person of the first', async () => {
    const stranger = delivery({ deliveryId: 'a', bodyHash: hashOf('1'), notices: [notice('stranger')] });
    const known = delivery({ deliveryId: 'a', bodyHash: hashOf('2') });
    expect(await acceptDeliveries(db.pool, [stranger, { ...stranger }, known, { ...known }])).toEqual([
      'unknown',
      'unknown',
      'new',
      'duplicate',
    ]);
    expect((await notices()).length).toBe(1);
  });

  it('keeps what a notice carries, byte for byte, and nothing where it carries nothing', async () => {
    const carried = Buffer.from([0, 1, 255, 10]);
    await acceptDeliveries(db.pool, [delivery({ deliveryId: 'a', notices: [{ ...notice('ann', 'o1'), carried }, notice('ann', 'o2')] })]);
    expect((await notices()).map((row) => row.carried)).toEqual([carried, null]);
  });

  it('knows a delivery again whose period is over, and one of the period before that no more', async () => {
    const [last, older] = [delivery({ deliveryId: 'last' }), delivery({ deliveryId: 'older' })];
    await acceptDeliveries(db.pool, [last, older]);
    await db.pool.query('update webhook_delivery set period = period - case delivery_id when $1 then 1 else 2 end where tenant_id = $2', [
      'last',
      app.tenantId,
    ]);
    expect(await acceptDeliveries(db.pool, [last, older])).toEqual(['duplicate', 'new']);
  });

  it('the key of a delivery tells apart whatever names it', () => {
    const keys = [
      delivery({ deliveryId: 'a' }),
      delivery({ deliveryId: 'b' }),
      delivery({ deliveryId: 'a', providerAppId: 'other' }),
      delivery({ deliveryId: 'a', environment: 'live' }),
      delivery({ deliveryId: 'a', tenantId: 'other' }),
    ].map((one) => deliveryKey(one).toString('hex'));
    expect(new Set(keys).size).toBe(5);
    expect(keys.every((key) => key.length === 32)).toBe(true);
  });
});

describe('a repeat under a key that two real changes may share', () => {
  const versionless = (id = 'o1'): NewNotice => ({ ...notice('ann', id), version: undefined });
  const one = (change: Partial<NewDelivery> = {}) =>
    delivery({ deliveryId: 'same', reopenable: true, bodyHash: hashOf('same'), notices: [versionless()], ...change });
  const file = () => fileNotices(db.pool, app, 100);
  const settle = (status: string, state = 'settled') =>
    db.pool
      .query('update webhook_notice set status = $2 where tenant_id = $1', [app.tenantId, status])
      .then(() => db.pool.query('update fetch_window set state = $2 where tenant_id = $1', [app.tenantId, state]));
  const statuses = async () => (await notices()).map((row) => row.status);
  const windows = async () =>
    (await db.pool.query('select state, dirty, notices from fetch_window where tenant_id = $1', [app.tenantId])).rows;

  it('is a duplicate while the first waits to be filed, and while its window waits to be read', async () => {
    expect(await acceptDeliveries(db.pool, [one(), one()])).toEqual(['new', 'duplicate']);
    expect(await acceptDeliveries(db.pool, [one()])).toEqual(['duplicate']);
    await file();
    expect(await acceptDeliveries(db.pool, [one()])).toEqual(['duplicate']);
    expect(await statuses()).toEqual(['windowed']);
  });

  for (const end of ['applied', 'dead']) {
    it(`is news once the first is ${end}: its notice waits again, later in the order, and its window is read again`, async () => {
      await acceptDeliveries(db.pool, [one()]);
      await file();
      await settle(end);
      const { rows: before } = await db.pool.query('select received_at from webhook_notice where tenant_id = $1', [app.tenantId]);
      expect(await acceptDeliveries(db.pool, [one(), one()])).toEqual(['new', 'duplicate']);
      const { rows: after } = await db.pool.query('select received_at, status from webhook_notice where tenant_id = $1', [app.tenantId]);
      expect([after.length, after[0].status, after[0].received_at > before[0].received_at]).toEqual([1, 'received', true]);
      expect((await file()).taken).toBe(1);
      expect(await windows()).toEqual([{ state: 'waiting', dirty: false, notices: 2 }]);
    });
  }

  it('is news while its window is being read, since the read may have come too early, and the window is read again after it', async () => {
    await acceptDeliveries(db.pool, [one()]);
    await file();
    await settle('windowed', 'fetching');
    expect(await acceptDeliveries(db.pool, [one()])).toEqual(['new']);
    await file();
    expect(await windows()).toEqual([{ state: 'fetching', dirty: true, notices: 2 }]);
  });

  it('is a duplicate while one notice of several still waits', async () => {
    const two = one({ notices: [versionless('o1'), versionless('o2')] });
    await acceptDeliveries(db.pool, [two]);
    await db.pool.query(`update webhook_notice set status = 'applied' where tenant_id = $1 and ordinal = 0`, [app.tenantId]);
    expect(await acceptDeliveries(db.pool, [two])).toEqual(['duplicate']);
    expect((await statuses()).sort()).toEqual(['applied', 'received']);
    await settle('applied');
    expect(await acceptDeliveries(db.pool, [two])).toEqual(['new']);
    expect(await statuses()).toEqual(['received', 'received']);
  });

  it('is news to one connection of the account while the notice of the other, whose grant ended, waits', async () => {
    const bob = await seed.connection(app, await seed.user(app), { subjectId: 'ann', status: 'reauth_required' });
    await acceptDeliveries(db.pool, [one()]);
    await file();
    await db.pool.query(`update webhook_notice set status = 'applied' where connection_id = $1`, [ann.id]);
    await db.pool.query(`update fetch_window set state = 'settled' where connection_id = $1`, [ann.id]);
    expect(await acceptDeliveries(db.pool, [one()])).toEqual(['new']);
    const status = new Map((await notices()).map((row) => [row.connection_id, row.status]));
    expect(status).toEqual(
      new Map([
        [ann.id, 'received'],
        [bob.id, 'windowed'],
      ]),
    );
    expect(await acceptDeliveries(db.pool, [one()])).toEqual(['duplicate']);
  });

  it('is news to those who connected after the first, told once however many bring it, and goes whole with the last of them', async () => {
    await acceptDeliveries(db.pool, [one()]);
    await settle('applied');
    await db.pool.query(`update connection set status = 'disconnected' where id = $1`, [ann.id]);
    expect(await acceptDeliveries(db.pool, [one()])).toEqual(['unknown']);
    const bob = await seed.connection(app, await seed.user(app), { subjectId: 'ann' });
    await db.pool.query(`update webhook_delivery set period = period - 1 where tenant_id = $1`, [app.tenantId]);
    await db.pool.query(`update webhook_notice set period = period - 1 where tenant_id = $1`, [app.tenantId]);
    const batches = await Promise.all(Array.from({ length: 6 }, () => acceptDeliveries(db.pool, [one(), one()])));
    expect(batches.flat().filter((acceptance) => acceptance === 'new').length).toBe(1);
    expect((await notices()).map((row) => [row.connection_id, row.status]).sort()).toEqual(
      [
        [ann.id, 'applied'],
        [bob.id, 'received'],
      ].sort(),
    );
    const { rows } = await db.pool.query(
      'select notices, period = webhook_period(now()) - 1 as old from webhook_delivery where tenant_id = $1',
      [app.tenantId],
    );
    expect(rows).toEqual([{ notices: 2, old: true }]);
    expect((await file()).taken).toBe(1);
  });

  it('is told once to who connected later, also when two statements look before either has committed', async () => {
    await acceptDeliveries(db.pool, [one()]);
    const bob = await seed.connection(app, await seed.user(app), { subjectId: 'ann' });
    const first = await db.pool.connect();
    try {
      await first.query('begin');
      const repeat = { key: deliveryKey(one()), delivery: one() };
      expect(await tellConnections(first, [repeat])).toEqual([true]);
      const second = tellConnections(db.pool, [repeat]);
      const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await db.pool.query(waits)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      await first.query('commit');
      expect(await second).toEqual([false]);
    } finally {
      first.release();
    }
    expect((await notices()).filter((row) => row.connection_id === bob.id).length).toBe(1);
  });

  it('is news to nobody whom a tombstone names, nor under a strict key', async () => {
    const strict = one({ deliveryId: 'strict', reopenable: false });
    await acceptDeliveries(db.pool, [one(), strict]);
    await seed.connection(app, await seed.user(app), { subjectId: 'ann' });
    expect(await acceptDeliveries(db.pool, [strict])).toEqual(['duplicate']);
    await db.pool.query(`insert into subject_tombstone (tenant_id, environment, provider_app_id, subject_hash) values ($1, $2, $3, $4)`, [
      app.tenantId,
      app.environment,
      app.id,
      hashOf('ann'),
    ]);
    expect(await acceptDeliveries(db.pool, [one()])).toEqual(['unknown']);
    expect((await notices()).length).toBe(2);
  });

  it('is news once, however many batches bring it at the same moment', async () => {
    await acceptDeliveries(db.pool, [one({ notices: [versionless('o1'), versionless('o2')] })]);
    await settle('applied');
    const batches = await Promise.all(Array.from({ length: 8 }, () => acceptDeliveries(db.pool, [one(), one()])));
    expect(batches.flat().filter((acceptance) => acceptance === 'new').length).toBe(1);
    expect(await statuses()).toEqual(['received', 'received']);
  });

  it('is never news under a strict key', async () => {
    const strict = one({ reopenable: false });
    await acceptDeliveries(db.pool, [strict]);
    await settle('applied');
    expect(await acceptDeliveries(db.pool, [strict])).toEqual(['duplicate']);
    expect(await statuses()).toEqual(['applied']);
  });

  it('opens nothing for a connection that has ended or is gone', async () => {
    await acceptDeliveries(db.pool, [one()]);
    await settle('applied');
    await db.pool.query(`update connection set status = 'disconnected' where id = $1`, [ann.id]);
    expect(await acceptDeliveries(db.pool, [one()])).toEqual(['unknown']);
    expect(await statuses()).toEqual(['applied']);
  });
});
