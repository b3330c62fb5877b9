import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventSchemas } from '@tributary/handoffs';
import { SliceWorld } from '../testing/slice-world.js';

// What the other endpoints are told of one that fails. oracles: rows of events and deliveries, bytes at the other endpoint.
const DAY = 86_400_000;
const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(() => world.end());
afterAll(() => world.close());

const failingFor = (days: number, failures: number) =>
  world.rows(
    "update endpoint set failing_since = now() - $2 * interval '1 ms', last_success_at = now() - $2 * interval '1 ms', consecutive_failures = $3 where id = $1",
    world.endpoint.id,
    days * DAY,
    failures,
  );
const told = () =>
  world.rows(
    `select e.id, e.type, e.revision, convert_from(e.data, 'UTF8')::json as data,
            (select array_agg(d.endpoint_id order by d.endpoint_id) from event_delivery d where d.event_id = e.id) as owed
       from event e where e.tenant_id = $1 and e.type like 'endpoint.%' order by e.revision`,
    world.scope.tenantId,
  );
const fail = async (id: string) => {
  await world.owe(id);
  world.receiver.behave({ do: 'answer', status: 500 }, '/hooks');
  await world.outbound().run(world.ref());
};

describe('half way to being disabled', () => {
  it('the other endpoints that take it are told once, however many failures follow, and never the one itself', async () => {
    const other = await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/other` });
    const wanting = await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/wanting`, eventTypes: ['endpoint.failing'] });
    await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/choosy`, eventTypes: ['daily.updated'] });
    await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/off`, status: 'disabled' });
    await world.seed.endpoint(await world.seed.environment(), { url: `${world.receiver.url}/stranger` });
    await failingFor(2.5, 8);
    await fail('evt_w1');
    expect(await told()).toEqual([]);
    await fail('evt_w2');
    await Promise.all([fail('evt_w3'), fail('evt_w4'), fail('evt_w5')]);
    const events = await told();
    expect(events).toHaveLength(1);
    const [event] = events;
    expect(event).toMatchObject({ type: 'endpoint.failing', owed: [other.id, wanting.id].sort() });
    expect(eventSchemas['endpoint.failing'].parse(event.data)).toMatchObject({
      endpointId: world.endpoint.id,
      consecutiveFailures: 10,
      revision: Number(event.revision),
    });
    const row = await world.endpointRow();
    expect(new Date(event.data.disabledFrom).getTime() - row.last_success_at.getTime()).toBe(5 * DAY);
    expect(row.status).toBe('enabled');

    await world.outbound().run(world.ref(other));
    const request = world.receiver.received.find(({ path }) => path === '/other');
    expect(world.verified(request, other.secret)).toMatchObject({ type: 'endpoint.failing', data: event.data });
    expect(request?.body.toString()).not.toContain(world.receiver.url);
  }, 30_000);

  it('a second spell, after a success, is told again', async () => {
    await failingFor(3, 20);
    await fail('evt_s1');
    world.receiver.behave({ do: 'answer', status: 204 }, '/hooks');
    await world.makeDue();
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ failing_since: null });
    await failingFor(3, 20);
    // The warning before is older than these failures.
    await world.rows("update endpoint set warned_at = now() - interval '9 days' where id = $1", world.endpoint.id);
    await fail('evt_s2');
    expect((await told()).map(({ type }) => type)).toEqual(['endpoint.failing', 'endpoint.failing']);
  });

  it.each([
    ['2.4 days', 2.4, 30],
    ['nine failures', 3, 8],
  ])('nobody is told after %s', async (_name, days, failures) => {
    await failingFor(days, failures);
    await fail(`evt_n_${failures}`);
    expect(await told()).toEqual([]);
  });
});

describe('an endpoint that is disabled', () => {
  it('after five days: the others are told in the transaction that does it', async () => {
    const other = await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/other` });
    await failingFor(5, 19);
    await fail('evt_d1');
    expect(await world.endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'failed_too_long' });
    const [event, ...more] = await told();
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'endpoint.disabled',
      owed: [other.id],
      data: { reason: 'failed_too_long', consecutiveFailures: 20 },
    });
    expect(eventSchemas['endpoint.disabled'].parse(event.data)).toEqual(event.data);
  });

  it('by 410: told once, however many of the requests under way are answered so', async () => {
    for (let n = 0; n < 12; n += 1) await world.owe(`evt_g${n}`);
    world.receiver.behave({ do: 'answer', status: 410, afterMs: 20 }, '/hooks');
    await Promise.all([world.outbound().run(world.ref()), world.outbound().run(world.ref())]);
    expect(await told()).toMatchObject([
      { type: 'endpoint.disabled', owed: null, data: { endpointId: world.endpoint.id, reason: 'answered_410' } },
    ]);
  });

  it('stays enabled when the event cannot be written: neither without the other', async () => {
    await world.owe('evt_x');
    await world.rows(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no events now'; end $$`);
    await world.rows(
      `create trigger refuse before insert on event for each row when (new.type = 'endpoint.disabled') execute function refuse()`,
    );
    try {
      world.receiver.behave({ do: 'answer', status: 410 }, '/hooks');
      const started = Date.now();
      // Time passes fast, so that it gives up.
      const clock = () => Date.now() + (Date.now() - started) * 30;
      await expect(world.outbound({ clock }).run(world.ref())).rejects.toThrow('no events now');
      expect(await world.endpointRow()).toMatchObject({ status: 'enabled', disabled_reason: null, consecutive_failures: 1 });
    } finally {
      await world.rows('drop trigger refuse on event');
      await world.rows('drop function refuse');
    }
    await world.makeDue();
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'answered_410' });
    expect(await told()).toHaveLength(1);
  });
});

describe('schedules above what libraries allow', () => {
  it('twenty-five attempts, up to a fortnight apart, each at its time, and then it is given up', async () => {
    const scheduleS = [0, ...Array.from({ length: 24 }, (_, n) => Math.min(14, n + 1) * 86_400)];
    const patient = await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/patient`, scheduleS });
    await world.owe('evt_long', { to: [patient] });
    // Beside it another one keeps the endpoint from being disabled for never taking anything.
    world.receiver.behave({ do: 'answer', status: 500 }, '/patient');
    const row = async () =>
      (
        await world.rows(
          `select state, attempts, extract(epoch from next_attempt_at - now())::float8 as wait_s from event_delivery where event_id = 'evt_long'`,
        )
      )[0];
    for (let attempt = 1; attempt <= 25; attempt += 1) {
      await world.makeDue();
      await world.rows('delete from endpoint_pace where endpoint_id = $1', patient.id);
      await world.outbound().run(world.ref(patient));
      const now = await row();
      expect(now).toMatchObject({ attempts: attempt, state: attempt === 25 ? 'failed' : 'pending' });
      if (attempt < 25) expect(Math.abs(now.wait_s - (scheduleS[attempt] as number))).toBeLessThan(60);
    }
    expect(world.receiver.events('/patient').map(({ deliveryAttempt }) => deliveryAttempt)).toEqual(
      Array.from({ length: 25 }, (_, n) => n + 1),
    );
    expect(world.receiver.timesReceived().get('evt_long')).toBe(25);
    expect(await world.attempts('evt_long')).toHaveLength(25);
  }, 60_000);
});
