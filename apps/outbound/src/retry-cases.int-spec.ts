import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SliceWorld } from '../testing/slice-world.js';
import { addressPolicy } from './allowed-address.js';
import { createPoster } from './post-to-endpoint.js';

// What others have met when a receiver fails, or its sender does. doubles: the name server.  oracles: rows, and what the receiver got.
const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(() => world.end());
afterAll(() => world.close());

const waitOf = async (id: string) => Number((await world.delivery(id)).wait_ms);
const ids = () => world.receiver.received.map(({ headers }) => headers['webhook-id']);

describe('outbound delivery', () => {
  it('C082: nothing is sent of a change that is not committed; what is committed and was never announced is sent once', async () => {
    const client = await world.db.pool.connect();
    const write = async (id: string, revision: number) => {
      const { tenantId, environment } = world.scope;
      await client.query('begin');
      await client.query(
        `insert into event (tenant_id, environment, id, type, revision, occurred_at, data) values ($1, $2, $3, 'daily.updated', $4, now(), '{}')`,
        [tenantId, environment, id, revision],
      );
      await client.query(
        'insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at) values ($1, $2, $3, $4, now())',
        [tenantId, environment, id, world.endpoint.id],
      );
    };
    try {
      await write('evt_undone', 1);
      await world.outbound().run(world.ref());
      await client.query('rollback');
      await write('evt_done', 2);
      await world.outbound().run(world.ref());
      expect(ids()).toEqual([]);
      await client.query('commit');
    } finally {
      client.release();
    }
    await world.outbound().run(world.ref());
    await world.outbound().run(world.ref());
    expect(ids()).toEqual(['evt_done']);
  });

  it('C086: what an endpoint missed while it was disabled stands, and goes out once it is enabled; one success ends the failing', async () => {
    const { id } = world.endpoint;
    const long = "now() - interval '6 days'";
    await world.rows(`update endpoint set failing_since = ${long}, last_success_at = ${long}, consecutive_failures = 19 where id = $1`, id);
    world.receiver.behave({ do: 'answer', status: 401 });
    await world.owe('evt_first');
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'failed_too_long' });
    for (const later of ['evt_second', 'evt_third']) await world.owe(later);
    world.receiver.clear();
    await world.outbound().run(world.ref());
    expect(ids()).toEqual([]);
    expect(await world.states()).toEqual([{ state: 'pending', n: 3, held: 0 }]);

    world.receiver.behave({ do: 'answer', status: 204 });
    await world.rows("update endpoint set status = 'enabled', disabled_reason = null where id = $1", id);
    await world.outbound().run(world.ref());
    expect(ids().sort()).toEqual(['evt_second', 'evt_third']);
    await world.makeDue();
    await world.outbound().run(world.ref());
    expect(ids().sort()).toEqual(['evt_first', 'evt_second', 'evt_third']);
    expect(await world.endpointRow()).toMatchObject({ status: 'enabled', failing_since: null, consecutive_failures: 0 });
  });
});

describe('retry', () => {
  const refusing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code });
  };
  const posterWith = (resolve: () => Promise<string[]>) =>
    createPoster({ policy: addressPolicy(['127.0.0.0/8']), resolve, clock: Date.now, deadlineMs: 400 });

  it('C088: a name that cannot be resolved is tried again like every other failure, under a word of its own', async () => {
    const named = await world.seed.endpoint(world.scope, { url: 'http://gone.example/hook' });
    for (const [n, code] of ['ENOTFOUND', 'ESERVFAIL', 'ETIMEOUT'].entries()) {
      await world.owe(`evt_dns_${n}`, { to: [named] });
      await world.outbound({ poster: posterWith(refusing(code)) }).run(world.ref(named));
    }
    const rows = await world.rows('select state, attempts from event_delivery where endpoint_id = $1', named.id);
    expect(rows).toEqual([1, 2, 3].map(() => ({ state: 'pending', attempts: 1 })));
    expect(await world.rows('select distinct outcome from delivery_attempt where endpoint_id = $1', named.id)).toEqual([
      { outcome: 'dns_failed' },
    ]);
  });

  it('C088: refused, cut off, stalled and without TLS are tried again, each under its own word', async () => {
    const { port } = new URL(world.receiver.url);
    const tried = async (id: string) => {
      await world.outbound({ deadlineMs: 400, poster: posterWith(async () => ['127.0.0.1']) }).run(world.ref());
      expect(await world.delivery(id)).toMatchObject({ state: 'pending', attempts: 1 });
      return (await world.attempts(id))[0].outcome as string;
    };
    const outcomes: string[] = [];
    for (const behaviour of [{ do: 'reset' }, { do: 'hang' }, { do: 'drip', everyMs: 20 }] as const) {
      world.receiver.behave(behaviour);
      await world.owe(`evt_${behaviour.do}`);
      outcomes.push(await tried(`evt_${behaviour.do}`));
    }
    await world.rows('update endpoint set url = $2 where id = $1', world.endpoint.id, `https://hooks.example:${port}/`);
    await world.owe('evt_tls');
    outcomes.push(await tried('evt_tls'));
    await world.rows('update endpoint set url = $2 where id = $1', world.endpoint.id, world.receiver.url);
    await world.receiver.goDown();
    await world.owe('evt_down');
    outcomes.push(await tried('evt_down'));
    expect(outcomes).toEqual([
      expect.stringMatching(/^connection_(closed|reset)$/),
      'timeout',
      'timeout',
      'tls_invalid',
      'connection_refused',
    ]);
  });

  it('C092: an endpoint is disabled at the published count with nobody there to be told; a success begins the count anew', async () => {
    const { id } = world.endpoint;
    const long = "now() - interval '6 days'";
    await world.rows(`update endpoint set failing_since = ${long}, last_success_at = ${long}, consecutive_failures = 18 where id = $1`, id);
    world.receiver.behave({ do: 'answer', status: 500 });
    await world.owe('evt_19');
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'enabled', consecutive_failures: 19 });
    world.receiver.behaveNext({ do: 'answer', status: 200 });
    await world.owe('evt_well');
    await world.outbound().run(world.ref());
    await world.owe('evt_20');
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'enabled', consecutive_failures: 1 });

    await world.rows(`update endpoint set failing_since = ${long}, last_success_at = ${long}, consecutive_failures = 19 where id = $1`, id);
    await world.owe('evt_21');
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'failed_too_long', consecutive_failures: 20 });
  });

  it.each([
    [429, '120', 118_000, 120_000],
    [503, 90, 86_000, 91_000],
    [503, -90, 1_000, 60_000],
    // A day at the most, whatever is asked for; and what is no pause asks for none.
    [429, '9'.repeat(40), 86_390_000, 86_400_000],
    [503, 240_000_000_000, 86_390_000, 86_400_000],
    [429, '-3600', 1_000, 60_000],
    [503, '1e9', 1_000, 60_000],
  ])('C093: %i with Retry-After %p waits as asked; a date gone by is as if it were not said', async (status, asked, least, most) => {
    const header = typeof asked === 'string' ? asked : new Date(Date.now() + asked * 1_000).toUTCString();
    world.receiver.behave({ do: 'answer', status, headers: { 'retry-after': header } });
    const id = `evt_asked_${String(asked).slice(0, 12)}`;
    await world.owe(id);
    await world.outbound().run(world.ref());
    expect(await world.delivery(id)).toMatchObject({ state: 'pending', attempts: 1 });
    expect(await waitOf(id)).toBeGreaterThan(least);
    expect(await waitOf(id)).toBeLessThanOrEqual(most);
  });

  it('C093: 200 with a body is success; an answer that comes too late is a timeout, and its retry has the same id', async () => {
    world.receiver.behave({ do: 'answer', status: 200, body: 'thank you' });
    await world.owe('evt_body');
    await world.outbound().run(world.ref());
    expect(await world.delivery('evt_body')).toMatchObject({ state: 'delivered' });
    world.receiver.clear();
    world.receiver.behave({ do: 'answer', status: 200, afterMs: 600 });
    await world.owe('evt_late');
    await world.outbound({ deadlineMs: 200 }).run(world.ref());
    world.receiver.behave({ do: 'answer', status: 200 });
    await world.makeDue();
    await world.outbound().run(world.ref());
    expect((await world.attempts('evt_late')).map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'timeout'],
      [2, 'delivered'],
    ]);
    expect(ids()).toEqual(['evt_late', 'evt_late']);
  });
});

describe('SSRF', () => {
  it('C095: a redirect to metadata is a failed attempt with its status, and nothing is asked there', async () => {
    world.receiver.behave({ do: 'answer', status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } });
    await world.owe('evt_moved');
    await world.outbound().run(world.ref());
    expect(await world.attempts('evt_moved')).toMatchObject([{ outcome: 'redirected', status_code: 302 }]);
    expect(world.receiver.received).toHaveLength(1);
  });

  it('C097: an endpoint that is moved to an inside address is not dialled, and nothing of what is there is stored', async () => {
    const { port } = new URL(world.receiver.url);
    const poster = createPoster({ policy: addressPolicy([]), resolve: async () => ['127.0.0.1'], clock: Date.now, deadlineMs: 1_000 });
    const moved = [`http://127.0.0.1:${port}/`, `http://inside.example:${port}/`, 'http://localhost/'];
    for (const [n, url] of moved.entries()) {
      await world.rows('update endpoint set url = $2 where id = $1', world.endpoint.id, url);
      await world.owe(`evt_moved_${n}`);
      await world.outbound({ poster }).run(world.ref());
      expect(await world.attempts(`evt_moved_${n}`)).toMatchObject([
        { outcome: 'address_refused', status_code: null, response_headers: null, response_body: null },
      ]);
    }
    expect(world.receiver.received).toHaveLength(0);
  });
});

describe('replay', () => {
  it('C151: sent and not ticked off by a sender that died is sent again as the same event, and there is no second one', async () => {
    await world.owe('evt_ticked');
    // From its first try to record on, its time runs away, so that its patience ends at once.
    let lateMs = 0;
    const query = (statement: { readonly name: string; readonly text: string }) => {
      if (statement.name !== 'record-results') return world.db.pool.query(statement);
      lateMs += 60_000;
      return Promise.reject(new Error('the process is gone'));
    };
    const pool = new Proxy(world.db.pool, {
      get: (target, name) => (name === 'query' ? query : Reflect.get(target, name).bind(target)),
    });
    const dying = world.outbound({ pool, clock: () => Date.now() + lateMs });
    await expect(dying.run(world.ref())).rejects.toThrow('the process is gone');
    expect(ids()).toEqual(['evt_ticked']);
    expect(await world.states()).toEqual([{ state: 'sending', n: 1, held: 1 }]);
    await world.makeDue();
    await world.outbound().run(world.ref());
    expect(ids()).toEqual(['evt_ticked', 'evt_ticked']);
    expect(await world.rows('select count(*)::int as n from event where tenant_id = $1', world.scope.tenantId)).toEqual([{ n: 1 }]);
    expect(await world.states()).toEqual([{ state: 'delivered', n: 1, held: 0 }]);
  });
});
