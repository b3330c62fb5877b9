import net, { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createLog, runService } from '@tributary/service-shell';
import { TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { SliceWorld } from '../testing/slice-world.js';
import { openOutbound } from './open-outbound.js';
import { outboundConfig } from './outbound.config.js';

// One process, five tenants. oracles: when the quiet one's events come, and that the others are still stuck by then.
const world = new SliceWorld();
const ending: (() => Promise<unknown>)[] = [];
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
  await world.end();
});
afterAll(() => world.close());

it('endpoints that hang, fail, drip and have a great backlog do not keep another tenant waiting', async () => {
  const quiet = world.endpoint;
  const path = (name: string) => `${world.receiver.url}/${name}`;
  world.receiver.behave({ do: 'hang' }, '/hang');
  world.receiver.behave({ do: 'answer', status: 500 }, '/fail');
  world.receiver.behave({ do: 'drip', everyMs: 100 }, '/drip');
  world.receiver.behave({ do: 'answer', status: 204, afterMs: 20 }, '/backlog');
  for (const [name, count] of [
    ['hang', 500],
    ['fail', 500],
    ['drip', 500],
    ['backlog', 20_000],
  ] as const) {
    const scope = await world.seed.environment();
    const endpoint = await world.seed.endpoint(scope, { url: path(name) });
    await world.rows(
      `with e as (insert into event (tenant_id, environment, id, type, revision, occurred_at, data)
         select $1, $2, $4 || n, 'daily.updated', n, now(), '{}' from generate_series(1, $5::int) n returning id)
       insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at) select $1, $2, id, $3, now() from e`,
      scope.tenantId,
      scope.environment,
      endpoint.id,
      `evt_${name}_`,
      count,
    );
  }
  const config = outboundConfig({
    DATABASE_URL: world.db.url,
    TRIBUTARY_KEYS: TEST_KEYS,
    OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    OUTBOUND_PORT: '0',
    LOG_LEVEL: 'silent',
  });
  const log = createLog('outbound', config.logLevel);
  const outbound = await openOutbound(config, log);
  const app = await runService(outbound.module, { log, host: config.host, port: config.port, portVariable: 'OUTBOUND_PORT' });
  ending.push(async () => {
    outbound.drain();
    await app.close();
    await outbound.close();
  });
  await world.receiver.until(
    (received) => ['/hang', '/fail', '/drip', '/backlog'].every((one) => received.some((r) => r.path === one)),
    30_000,
  );
  for (let n = 0; n < 20; n += 1) {
    await world.owe(`evt_quiet_${n}`, { to: [quiet] });
    await world.receiver.until((received) => received.some(({ headers }) => headers['webhook-id'] === `evt_quiet_${n}`), 9_000);
  }
  const left = await world.rows(
    `select e.url, count(*)::int as n from event_delivery d join endpoint e on e.id = d.endpoint_id where d.state <> 'delivered' and d.endpoint_id <> $1 group by 1`,
    quiet.id,
  );
  // It was quick beside all of them: nobody had been worked off, and nothing of anybody was dropped.
  const owed = Object.fromEntries(left.map(({ url, n }) => [new URL(url).pathname, n]));
  expect(owed).toMatchObject({ '/hang': 500, '/fail': 500, '/drip': 500 });
  expect(owed['/backlog']).toBeGreaterThan(0);
  expect(world.receiver.timesReceived().get('evt_quiet_0')).toBe(1);
}, 120_000);

it('a raw socket that accepts and says nothing is given up at the deadline', async () => {
  const sockets = new Set<net.Socket>();
  const silent = net.createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  ending.push(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const mute = await world.seed.endpoint(world.scope, { url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` });
  await world.owe('evt_mute', { to: [mute] });
  await world.outbound({ deadlineMs: 300 }).run(world.ref(mute));
  expect(await world.attempts('evt_mute')).toMatchObject([{ outcome: 'timeout', status_code: null }]);
});
