import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderUnreachable } from '@tributary/providers';
import { createProviderHttp, sealCallback } from '@tributary/service-shell';
import { type Person, Workbench } from '../testing/workbench.js';
import type { WorkerContext } from './worker-context.js';

/** What Garmin shows by the whole target of the request; any other is refused as without a key. */
const shown = new Map<string, object[]>();
let asked: string[] = [];
const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  const target = request.url ?? '';
  asked.push(target);
  const list = shown.get(target);
  response.writeHead(list === undefined ? 400 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(list ?? { errorMessage: 'InvalidPullTokenException failure' }));
});
let bench: Workbench;
let context: WorkerContext;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const sandboxUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bench = await Workbench.open();
  const http = createProviderHttp({
    allowedOrigins: new Set([sandboxUrl]),
    deadlineMs: 5_000,
    maxReplyBytes: 1_000_000,
    unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
  });
  context = bench.contextWith({ sandboxUrl, http });
});
afterAll(async () => {
  await bench.close();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  shown.clear();
  asked = [];
});

async function wearer(): Promise<Person> {
  const scope = await bench.seed.environment({ debounceMs: 0, maxWaitMs: 0 });
  const app = await bench.seed.app(scope, { provider: 'garmin', sandbox: true });
  const user = await bench.seed.user(scope);
  return { scope, app, user, connection: await bench.seed.connection(app, user), endpoint: await bench.seed.endpoint(scope) };
}

let pings = 0;
/** A ping as ingest leaves it: upload times in the key, the address sealed beside. @param second of the upload, of the 14th at noon. */
async function ping({ connection, app }: Person, second: number, target: string): Promise<void> {
  pings += 1;
  const at = (more: number) => new Date(Date.parse('2026-09-14T12:00:00Z') + (second + more) * 1000).toISOString();
  const callback = { url: `https://apis.garmin.com${target}`, subjectId: connection.subjectId };
  await bench.db.pool.query(
    `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind, window_kind,
       window_start, window_end, carried, received_at)
     values ($1, $2, $3, md5($4)::uuid, 0, $5, 'dailies', 'changed', 'instants', $6, $7, $8, clock_timestamp())`,
    [
      connection.tenantId,
      connection.environment,
      connection.providerAppId,
      `ping-${pings}`,
      connection.id,
      at(0),
      at(1),
      sealCallback(bench.keys, app.id, callback),
    ],
  );
}

const day = ({ connection }: Person, durationInSeconds: number, steps: number) => ({
  userId: connection.subjectId,
  summaryId: `x-${durationInSeconds}`,
  calendarDate: '2026-09-14',
  startTimeInSeconds: 1_789_336_800,
  startTimeOffsetInSeconds: 7_200,
  durationInSeconds,
  steps,
});
/** Parameters in an order of Garmin's own, a token with what must be encoded, an id that no number holds. */
const target = (n: number) => `/wellness-api/rest/dailies?token=a%2Bb%2F%3D&uploadEndTimeInSeconds=${n}&id=9007199254740993127`;

async function work(person: Person): Promise<void> {
  await bench.resolve(person);
  await bench.makeDue(person);
  await bench.fetch(person, context);
}

describe('a window whose notices told an address', () => {
  it('C040: is read there, letter by letter, and nowhere else', async () => {
    const person = await wearer();
    shown.set(`/garmin${target(1)}`, [day(person, 36_000, 3_000)]);
    await ping(person, 1, target(1));
    await work(person);
    expect(asked).toEqual([`/garmin${target(1)}`]);
    expect(await bench.value(person)).toBe(3_000);
    expect(await bench.windows(person)).toMatchObject([{ collection: 'dailies', state: 'settled' }]);
    expect((await bench.events(person)).map(({ type }) => type)).toEqual(['daily.updated']);
  });

  it('that is read late does not put the day as it was then in the place of what came since, however often', async () => {
    const person = await wearer();
    shown.set(`/garmin${target(1)}`, [day(person, 36_000, 3_000)]);
    shown.set(`/garmin${target(2)}`, [day(person, 72_000, 9_000)]);
    await ping(person, 2, target(2));
    await work(person);
    expect(await bench.value(person)).toBe(9_000);
    for (let repeats = 0; repeats < 3; repeats += 1) {
      await ping(person, 1, target(1));
      await work(person);
    }
    expect(asked.filter((one) => one === `/garmin${target(1)}`).length).toBeGreaterThanOrEqual(3);
    expect(await bench.value(person)).toBe(9_000);
    expect(await bench.events(person)).toHaveLength(1);
  });

  it('of two states of one length the one that was uploaded later counts, whichever was read last', async () => {
    for (const order of [
      [1, 2],
      [2, 1],
    ] as const) {
      const person = await wearer();
      // Two devices were made one: as long as before, and another number.
      shown.set(`/garmin${target(1)}`, [day(person, 86_400, 9_000)]);
      shown.set(`/garmin${target(2)}`, [day(person, 86_400, 8_500)]);
      for (const second of order) {
        await ping(person, second, target(second));
        await work(person);
      }
      expect(await bench.value(person)).toBe(8_500);
    }
  });

  it('counts when it was uploaded after a read by upload times, and not when before, though nobody can be asked again', async () => {
    const person = await wearer();
    const states = [9_000, 8_500, 9_000, 8_500, 9_000];
    for (const [second, steps] of states.entries()) shown.set(`/garmin${target(second)}`, [day(person, 86_400, steps)]);
    await ping(person, 0, target(0));
    await work(person);
    const read = Date.parse('2026-09-14T12:00:01.200Z');
    await bench.db.pool.query(
      `update daily_rollup set via = 'pull', fresh_from = $2::int8, fresh_to = $2 + 100, ingested_at = $2 + 100 where tenant_id = $1`,
      [person.scope.tenantId, read],
    );
    for (const second of [3, 1, 0]) {
      await ping(person, second, target(second));
      await work(person);
      expect(await bench.value(person)).toBe(8_500);
    }
    // To and fro within a day: each was told, so each is true.
    for (const second of [4, 5, 6]) {
      shown.set(`/garmin${target(second)}`, [day(person, 86_400, second % 2 === 0 ? 9_000 : 8_500)]);
      await ping(person, second, target(second));
      await work(person);
    }
    expect(await bench.value(person)).toBe(9_000);
    expect(await bench.events(person)).toHaveLength(5);
  });

  it('that shows somebody else changes nothing', async () => {
    const person = await wearer();
    shown.set(`/garmin${target(1)}`, [{ ...day(person, 36_000, 3_000), userId: 'somebody-else' }]);
    await ping(person, 1, target(1));
    await work(person);
    expect(await bench.daily(person)).toEqual([]);
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'drift', detail: 'status 400: read without a pull token' }]);
  });
});
