import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, type SeededApp, type SeededConnection } from '../../testing/seed.js';
import { type NewDelivery, type NewNotice, acceptDeliveries } from './accept-deliveries.js';

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
      'select delivery_id, ordinal, connection_id, window_start, version from webhook_notice where tenant_id = $1 order by 1, 2, 3',
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

  it('keeps no body where any subject is unknown, and the notices of those it knows', async () => {
    const mixed = delivery({ deliveryId: 'mixed', notices: [notice('stranger', 'o1'), notice('ann', 'o2')] });
    const whole = delivery({ deliveryId: 'whole', notices: [notice('ann', 'o1'), notice('ann', 'o2')] });
    expect(await acceptDeliveries(db.pool, [mixed, whole])).toEqual(['new', 'new']);
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
});
