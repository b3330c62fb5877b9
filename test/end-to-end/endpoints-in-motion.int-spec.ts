import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recoverDue } from '../../apps/outbound/src/recover-slice.js';
import { SliceWorld } from '../../apps/outbound/testing/slice-world.js';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';
import { type Receiver, startReceiver } from '../stand-ins/receiver-server.js';

// Customers change everything at once while three processes send. doubles: none.  oracles: what the receivers got, and rows.
describe('endpoints that are changed while they are sent to', () => {
  const world = new SliceWorld();
  let api: RunningApi;
  let elsewhere: Receiver;
  beforeAll(async () => {
    api = await startApi(world.keys);
    world.db = api.db;
    world.seed = api.seed;
    await world.begin();
    elsewhere = await startReceiver();
  });
  afterAll(async () => {
    await elsewhere.stop();
    await world.end();
    await api.stop();
  });

  /** Repeatable: the same seed makes the same choices. */
  const dice = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };

  it('every event comes, attempts are numbered one by one, nothing goes to what was deleted, and nothing is left half done', async () => {
    const { scope, endpoint, receiver } = world;
    const { key } = await api.key(scope);
    const random = dice(20_261_201);
    const doomed = await api.seed.endpoint(scope, { url: `${receiver.url}/doomed` });
    const ordered = await api.seed.endpoint(scope, { url: `${receiver.url}/ordered` });
    await world.rows(`update endpoint set ordering = 'user' where id = $1`, ordered.id);
    await world.rows('update endpoint set schedule_s = array_fill(0, array[20]) where tenant_id = $1', scope.tenantId);
    const ids: string[] = [];
    let serial = 0;
    const owe = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        serial += 1;
        const id = `evt_motion_${String(serial).padStart(4, '0')}`;
        await world.owe(id, { to: deleted ? [endpoint, ordered] : [endpoint, doomed, ordered] });
        await world.rows('update event set user_id = $1 where id = $2', `usr_${serial % 5}`, id);
        ids.push(id);
      }
    };
    let deleted = false;
    let deletedAt = Infinity;
    let over = false;
    const statuses: number[] = [];
    const call = async (method: string, path: string, body?: object) => {
      const { status } = await api.call(method, path, body === undefined ? { key } : { key, body });
      statuses.push(status);
    };
    const some = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    receiver.behave({ do: 'answer', status: 204, afterMs: 20 });

    const sender = async () => {
      const outbound = world.outbound({ random });
      while (!over) {
        for (const one of [endpoint, doomed, ordered]) await outbound.run(world.ref(one));
        await recoverDue({ pool: world.db.pool }, () => over);
        await wait(5);
      }
      return outbound.lines;
    };
    const customer = async () => {
      for (let n = 0; n < 40; n += 1) {
        const one = some([endpoint, ordered]);
        const path = `/v1/endpoints/${one.id}`;
        const since = new Date(Date.now() - 86_400_000 * 400).toISOString();
        await some([
          () => call('PATCH', path, { url: `${some([receiver, elsewhere]).url}/${one === ordered ? 'ordered' : 'hooks'}` }),
          () => call('PATCH', path, { status: 'disabled' }),
          () => call('PATCH', path, { status: 'enabled' }),
          () => call('PATCH', path, { users: Array.from({ length: 1_000 }, (_, at) => `nobody-${at}-${'x'.repeat(200)}`) }),
          () => call('POST', `/v1/events/${some(ids)}/replay`, { endpointId: one.id }),
          () => call('POST', `${path}/rotate-secret`, { overlapS: 600 }),
          () => call('POST', `${path}/recover`, { since }),
          () => call('POST', `${path}/cancel-pending`, { from: since, metrics: ['steps'] }),
          async () => receiver.behaveNext(...Array.from({ length: 6 }, () => ({ do: 'answer', status: some([500, 503, 301]) }) as const)),
        ])();
        if (n === 20) {
          deleted = true;
          await call('DELETE', `/v1/endpoints/${doomed.id}`);
          deletedAt = Math.min(deletedAt, Date.now());
        }
        if (n % 8 === 0) await owe(20);
      }
    };
    await owe(60);
    const senders = [sender(), sender(), sender()];
    await Promise.all([customer(), customer()]).catch((error: unknown) => {
      over = true;
      throw error;
    });

    // It comes to rest.
    for (const one of [endpoint, ordered]) await call('PATCH', `/v1/endpoints/${one.id}`, { status: 'enabled' });
    const left = () =>
      world.rows(
        `select state, count(*)::int as n from event_delivery where tenant_id = $1 and endpoint_id <> $2 and state in ('pending', 'sending') group by 1`,
        ...[scope.tenantId, doomed.id],
      );
    for (let n = 0; n < 400 && (await left()).length > 0; n += 1) {
      await world.rows('update endpoint_pace set rests_until = null, failures = 0 where rests_until > now()');
      await world.rows(`update event_delivery set next_attempt_at = now() where tenant_id = $1 and state = 'pending'`, scope.tenantId);
      await wait(50);
    }
    over = true;
    const lines = (await Promise.all(senders)).flat();
    expect(await left()).toEqual([]);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(lines.filter(({ what }) => what === 'delivery.look_failed' || what === 'delivery.record_failed')).toEqual([]);

    const came = [...receiver.received, ...elsewhere.received];
    for (const [path, which] of [
      ['/hooks', endpoint],
      ['/ordered', ordered],
    ] as const) {
      const here = came.filter((one) => one.path === path);
      expect(new Set(here.map(({ headers }) => headers['webhook-id'])).size).toBe(ids.length);
      expect(await world.rows(`select distinct state from event_delivery where endpoint_id = $1`, which.id)).toEqual([
        { state: 'delivered' },
      ]);
      const [{ n }] = await world.rows('select count(*)::int as n from delivery_attempt where endpoint_id = $1', which.id);
      expect(here.length).toBe(n);
    }
    // Attempts: 1, 2, 3 of each delivery, none left out.
    expect(
      await world.rows(
        `select event_id, endpoint_id, max(n) as highest, count(*)::int as n from delivery_attempt where tenant_id = $1 and endpoint_id <> $2
         group by 1, 2 having max(n) <> count(*) or min(n) <> 1`,
        ...[scope.tenantId, doomed.id],
      ),
    ).toEqual([]);
    const late = came.filter((one) => one.path === '/doomed' && one.at > deletedAt + 1_000);
    expect(late).toEqual([]);
    expect(await world.rows('select from event_delivery where lease_token is not null')).toEqual([]);
  }, 240_000);
});
