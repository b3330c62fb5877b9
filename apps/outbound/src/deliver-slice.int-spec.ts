import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { replayEvent } from '@tributary/storage';
import { Seed } from '../../../packages/storage/testing/seed.js';
import { type Received, startReceiver } from '../../../test/stand-ins/receiver-server.js';
import { SliceWorld } from '../testing/slice-world.js';

const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(() => world.end());
afterAll(() => world.close());

describe('a delivery', () => {
  it('is one signed POST whose body is the stored data in its envelope, and is on record', async () => {
    await world.owe('evt_01');
    const worker = world.outbound();
    expect(await worker.run(world.ref())).toBe(false);

    expect(world.receiver.received).toHaveLength(1);
    const request = world.receiver.received[0] as Received;
    expect(request.body.toString('utf8')).toBe(
      '{"type":"daily.updated","timestamp":"2026-12-01T09:14:00.123Z","deliveryAttempt":1,"data":{"id":"evt_01","note":"Zoë 😀"}}',
    );
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hooks',
      headers: {
        'webhook-id': 'evt_01',
        'content-type': 'application/json',
        'user-agent': 'Tributary-Webhooks/1',
        'content-length': String(request.body.length),
      },
    });
    expect(request.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(5);
    expect(world.verified(request)).toMatchObject({ type: 'daily.updated', data: { note: 'Zoë 😀' } });

    expect(await world.delivery('evt_01')).toMatchObject({
      state: 'delivered',
      attempts: 1,
      lease_token: null,
      ended_at: expect.any(Date),
    });
    const [attempt, ...more] = await world.attempts('evt_01');
    expect(more).toEqual([]);
    expect(attempt).toMatchObject({ n: 1, outcome: 'delivered', status_code: 204, response_body: Buffer.alloc(0) });
    expect(attempt.response_headers).toHaveProperty('date');
    expect(await world.endpointRow()).toMatchObject({ consecutive_failures: 0, failing_since: null, last_success_at: expect.any(Date) });
    expect(worker.lines).toEqual([]);
    expect(await worker.metric('tributary_outbound_attempts_total')).toEqual([
      'tributary_outbound_attempts_total{outcome="delivered",service="outbound"} 1',
    ]);
    expect(await worker.metric('tributary_outbound_commit_to_first_byte_seconds_count')).toHaveLength(1);
    expect(await worker.metric('tributary_outbound_in_flight')).toEqual([]);
  });

  it('C148 replayed three days later: the same id and data, stamped and signed now', async () => {
    await world.owe('evt_old');
    const longAgo = Date.now() - 3 * 86_400_000;
    await world.outbound({ clock: () => longAgo }).run(world.ref());
    expect(await replayEvent(world.db.pool, world.scope, 'evt_old', undefined)).toMatchObject([{ endpointId: world.endpoint.id }]);
    await world.outbound().run(world.ref());
    const [first, second] = world.receiver.received as [Received, Received];
    // Whoever verifies refuses what was stamped three days ago, and takes what was stamped now.
    expect(() => world.verified(first)).toThrow('timestamp too old');
    expect(world.verified(second)).toMatchObject({ data: { id: 'evt_old' } });
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
    expect(second.body.toString().split('"data":')[1]).toBe(first.body.toString().split('"data":')[1]);
    expect(await world.attempts('evt_old')).toMatchObject([{ n: 1 }, { n: 2 }]);
  });

  it('is tried again after a 500 with the same id and data, stamped and signed anew', async () => {
    await world.owe('evt_02');
    world.receiver.behaveNext({ do: 'answer', status: 500, body: 'oh no' });
    let now = Date.now() - 2_000;
    const worker = world.outbound({ clock: () => now });
    await worker.run(world.ref());
    expect(await world.delivery('evt_02')).toMatchObject({ state: 'pending', attempts: 1 });
    const { wait_ms: wait } = await world.delivery('evt_02');
    expect(Number(wait)).toBeGreaterThan(4_000);
    expect(Number(wait)).toBeLessThanOrEqual(5_000);
    expect(await worker.run(world.ref())).toBe(false);
    expect(world.receiver.received).toHaveLength(1);

    await world.makeDue();
    now += 2_000;
    await worker.run(world.ref());
    const [first, second] = world.receiver.received as [Received, Received];
    expect(world.verified(first)).toMatchObject({ deliveryAttempt: 1 });
    expect(world.verified(second)).toMatchObject({ deliveryAttempt: 2 });
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(Number(second.headers['webhook-timestamp'])).toBe(Number(first.headers['webhook-timestamp']) + 2);
    expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
    expect(second.body.toString().split('"data":')[1]).toBe(first.body.toString().split('"data":')[1]);
    expect(await world.delivery('evt_02')).toMatchObject({ state: 'delivered', attempts: 2 });
    expect(await world.attempts('evt_02')).toMatchObject([
      { n: 1, outcome: 'http_error', status_code: 500, response_body: Buffer.from('oh no') },
      { n: 2, outcome: 'delivered', status_code: 204 },
    ]);
    expect(worker.lines).toEqual([
      expect.objectContaining({
        what: 'delivery.attempt_failed',
        endpointId: world.endpoint.id,
        eventId: 'evt_02',
        attempt: 1,
        outcome: 'http_error',
        status: 500,
        next: expect.any(String),
      }),
    ]);
    expect(JSON.stringify(worker.lines)).not.toMatch(/oh no|Zo|whsec|hooks/);
  });

  it("fails for good after the last attempt of the endpoint's own schedule", async () => {
    world.endpoint = await world.seed.endpoint(world.scope, { url: world.receiver.url, scheduleS: [0, 1] });
    await world.owe('evt_03');
    world.receiver.behave({ do: 'answer', status: 400 });
    const worker = world.outbound();
    for (let n = 0; n < 4; n += 1) {
      await worker.run(world.ref());
      await world.makeDue();
    }
    expect(world.receiver.received).toHaveLength(2);
    expect(await world.delivery('evt_03')).toMatchObject({ state: 'failed', attempts: 2, ended_at: expect.any(Date) });
    expect(await world.endpointRow()).toMatchObject({ status: 'enabled', consecutive_failures: 2, failing_since: expect.any(Date) });
    expect(worker.lines.at(-1)).toMatchObject({ attempt: 2, next: null });
  });

  it('is cancelled and never sent empty when its event has no data any more', async () => {
    await world.owe('evt_04');
    await world.owe('evt_05');
    await world.rows("update event set data = null where id = 'evt_04'");
    await world.rows("delete from event where id = 'evt_05'");
    expect(await world.outbound().run(world.ref())).toBe(false);
    expect(world.receiver.received).toHaveLength(0);
    expect(await world.delivery('evt_04')).toMatchObject({ state: 'cancelled', attempts: 0 });
    // Nothing is kept of what was erased.
    expect(await world.delivery('evt_05')).toBeUndefined();
    for (const id of ['evt_04', 'evt_05']) expect(await world.attempts(id)).toEqual([]);
  });

  it('is never sent unsigned: without a usable secret it waits, at no cost', async () => {
    await world.owe('evt_06');
    await world.rows("update endpoint_secret set retires_at = now() - interval '1 s' where endpoint_id = $1", world.endpoint.id);
    const worker = world.outbound();
    await worker.run(world.ref());
    const foreign = new KeyRing(`other:${Buffer.alloc(32, 9).toString('base64')}`);
    await new Seed(world.db.pool, foreign).endpointSecret(world.endpoint);
    await world.makeDue();
    await worker.run(world.ref());
    expect(world.receiver.received).toHaveLength(0);
    const row = await world.delivery('evt_06');
    expect(row).toMatchObject({ state: 'pending', attempts: 0, lease_token: null });
    expect(Number(row.wait_ms)).toBeGreaterThan(55_000);
    expect(worker.lines.map(({ what }) => what)).toEqual(['delivery.no_secret', 'delivery.secret_unreadable', 'delivery.no_secret']);

    const good = await world.seed.endpointSecret(world.endpoint);
    await world.makeDue();
    await worker.run(world.ref());
    expect(world.verified(world.receiver.received[0], good.value)).toMatchObject({ deliveryAttempt: 1 });
  });
});

describe('rotation', () => {
  it('signs with both secrets while both live, also events that waited, and with the new one alone afterwards', async () => {
    await world.owe('evt_10');
    const next = await world.seed.endpointSecret(world.endpoint);
    await world.rows("update endpoint_secret set retires_at = now() + interval '1 hour' where id = $1", world.endpoint.secretId);
    const worker = world.outbound();
    await worker.run(world.ref());
    const both = world.receiver.received[0] as Received;
    expect(both.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(world.verified(both)).toBeTruthy();
    expect(world.verified(both, next.value)).toBeTruthy();

    await world.rows('update endpoint_secret set retires_at = now() where id = $1', world.endpoint.secretId);
    await world.owe('evt_11');
    await worker.run(world.ref());
    const after = world.receiver.received[1] as Received;
    expect(after.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(world.verified(after, next.value)).toBeTruthy();
    expect(() => world.verified(after)).toThrow('No matching signature found');
  });
});

describe('what the endpoint answers', () => {
  it('410 disables it at once: nothing more is begun, what is owed stays owed', async () => {
    for (let n = 0; n < 40; n += 1) await world.owe(`evt_2${n}`);
    world.receiver.behave({ do: 'answer', status: 410 });
    const worker = world.outbound();
    await worker.run(world.ref());
    const sent = world.receiver.received.length;
    expect(sent).toBeLessThanOrEqual(16);
    expect(await world.endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'answered_410' });
    expect(worker.lines.filter(({ what }) => what === 'endpoint.disabled')).toMatchObject([
      { endpointId: world.endpoint.id, reason: 'answered_410' },
    ]);

    await world.makeDue();
    expect(await worker.run(world.ref())).toBe(false);
    expect(world.receiver.received).toHaveLength(sent);
    expect(
      (await world.rows("select count(*)::int as n from event_delivery where endpoint_id = $1 and state = 'pending'", world.endpoint.id))[0]
        .n,
    ).toBe(40);

    world.receiver.behave({ do: 'answer', status: 200 });
    await world.rows("update endpoint set status = 'enabled' where id = $1", world.endpoint.id);
    await worker.run(world.ref());
    expect(world.receiver.received).toHaveLength(sent + 40);
  });

  it.each([429, 503])('%i with Retry-After is given the pause that it asks for', async (status) => {
    await world.owe(`evt_3${status}`);
    world.receiver.behave({ do: 'answer', status, headers: { 'retry-after': '90' } });
    await world.outbound().run(world.ref());
    const row = await world.delivery(`evt_3${status}`);
    expect(row).toMatchObject({ state: 'pending', attempts: 1 });
    expect(Number(row.wait_ms)).toBeGreaterThan(88_000);
    expect(Number(row.wait_ms)).toBeLessThanOrEqual(90_000);
  });

  it('a redirect is a failure and is not followed', async () => {
    await world.owe('evt_40');
    const elsewhere = await startReceiver();
    world.receiver.behave({ do: 'answer', status: 301, headers: { location: elsewhere.url } });
    await world.outbound().run(world.ref());
    expect(elsewhere.received).toHaveLength(0);
    expect(await world.attempts('evt_40')).toMatchObject([{ outcome: 'redirected', status_code: 301 }]);
    expect(await world.delivery('evt_40')).toMatchObject({ state: 'pending', attempts: 1 });
    await elsewhere.stop();
  });

  it('nothing at all is a timeout; the rest of the slice goes back unspent', async () => {
    for (let n = 0; n < 20; n += 1) await world.owe(`evt_5${n}`);
    world.receiver.behave({ do: 'hang' });
    const began = Date.now();
    // It rests now, so there is nothing to come back for at once.
    expect(await world.outbound({ deadlineMs: 300 }).run(world.ref())).toBe(false);
    expect(Date.now() - began).toBeLessThan(2_500);
    const outcomes = await world.rows(
      'select outcome, count(*)::int as n from delivery_attempt where endpoint_id = $1 group by 1',
      world.endpoint.id,
    );
    expect(outcomes).toEqual([{ outcome: 'timeout', n: 16 }]);
    const left = await world.rows(
      'select attempts, lease_token from event_delivery where endpoint_id = $1 and attempts = 0',
      world.endpoint.id,
    );
    expect(left).toEqual(Array.from({ length: 4 }, () => ({ attempts: 0, lease_token: null })));
  });

  it('an address where we do not send is an outcome of its own', async () => {
    const inside = await world.seed.endpoint(world.scope, { url: 'http://169.254.169.254/latest/meta-data/' });
    await world.owe('evt_60', { to: [inside] });
    await world.outbound().run(world.ref(inside));
    expect(await world.rows('select outcome, status_code from delivery_attempt where endpoint_id = $1', inside.id)).toEqual([
      { outcome: 'address_refused', status_code: null },
    ]);
  });
});
