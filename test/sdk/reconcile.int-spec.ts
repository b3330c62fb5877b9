import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { createReceiver, memoryRecords, memoryStore } from '@tributary/sdk';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';
import { type ApiClient, createApiClient, reconcile } from '../../packages/sdk/src/api.js';
import { type Handler, type VerifiedEvent } from '../../packages/sdk/src/index.js';
import { exampleSecret, signedRequest } from '../../packages/sdk/src/testing.js';
import { exampleData } from '../../packages/sdk/src/example-data.js';
import { type SeededEnvironment, TEST_KEYS } from '../../packages/storage/testing/seed.js';

let server: RunningApi;
let made = 0;

beforeAll(async () => {
  server = await startApi(new KeyRing(TEST_KEYS));
});
afterAll(() => server.stop());

const day = 86_400_000;
const eventId = (n: number): string => `evt_${String(n).padStart(26, '0')}`;

async function scene(handler?: Handler<VerifiedEvent>) {
  const scope = await server.seed.environment();
  const { key } = await server.key(scope);
  const records = memoryRecords();
  const seen: string[] = [];
  const receiver = createReceiver({
    secrets: exampleSecret,
    store: memoryStore(),
    handlers: {
      otherwise: async (event, context) => {
        await handler?.(event, context);
        seen.push(event.id);
        await records.applyIfNewer(event);
      },
    },
    onProblem: () => undefined,
  });
  const api = createApiClient({ apiKey: key, baseUrl: server.url });
  return { scope, records, seen, receiver, api };
}

/** An event as the worker writes it. */
async function wrote(scope: SeededEnvironment, type: 'daily.updated' | 'user.erased', data: object, ago: number): Promise<string> {
  const id = eventId(++made);
  const whole = { ...exampleData[type], ...data, revision: made };
  await server.db.pool.query(
    `insert into event (tenant_id, environment, id, type, revision, occurred_at, data) values ($1, $2, $3, $4, $5, now() - make_interval(secs => $6), $7)`,
    [scope.tenantId, scope.environment, id, type, made, ago / 1000, Buffer.from(JSON.stringify(whole))],
  );
  return id;
}

const steps = (localDate: string, value: number, user = { id: 'usr_1', externalId: 'x' }) => ({
  user,
  localDate,
  record: { ...exampleData['daily.updated'].record, value },
});

describe('reconcile', () => {
  it('handles what was missed, once, and leaves alone what came before or was handled', async () => {
    const { scope, records, seen, receiver, api } = await scene();
    await wrote(scope, 'daily.updated', steps('2026-11-01', 1), 3 * day);
    const delivered = await wrote(scope, 'daily.updated', steps('2026-11-27', 2_000), day);
    const [row] = await server.rows<{ data: Buffer }>('select data from event where id = $1', [delivered]);
    const body = `{"type":"daily.updated","timestamp":"2026-11-29T07:00:00.000Z","deliveryAttempt":1,"data":${row?.data.toString()}}`;
    const came = await receiver.receive(await signedRequest({ secret: exampleSecret, id: delivered, at: new Date(), body }));
    expect(came.is).toBe('handled');
    const missed = [
      await wrote(scope, 'daily.updated', steps('2026-11-28', 3_000), day - 1_000),
      await wrote(scope, 'daily.updated', steps('2026-11-28', 3_500), day - 2_000),
    ];
    const since = new Date(Date.now() - 2 * day);
    expect(await reconcile({ api, receiver, since })).toEqual({
      read: 3,
      handled: 2,
      duplicate: 1,
      ignored: 0,
      inProgress: 0,
      failed: 0,
      erased: 0,
    });
    expect(seen).toEqual([delivered, ...missed.reverse()]);
    const held = records.list().map(({ key, data }) => [key.item, 'record' in data && 'value' in data.record && data.record.value]);
    expect(held).toEqual([
      ['2026-11-27', 2_000],
      ['2026-11-28', 3_500],
    ]);
    expect(await reconcile({ api, receiver, since })).toMatchObject({ read: 3, handled: 0, duplicate: 3 });
    expect(seen).toHaveLength(3);
  });

  it('reads every page, and neither another tenant nor another environment', async () => {
    const { scope, seen, receiver, api } = await scene();
    const other = await server.seed.environment();
    await wrote(other, 'daily.updated', steps('2026-11-28', 1), 1_000);
    const ids: string[] = [];
    for (let n = 0; n < 450; n++) ids.push(await wrote(scope, 'daily.updated', steps('2026-11-28', n), 100_000 - n));
    expect(await reconcile({ api, receiver, since: new Date(Date.now() - day) })).toMatchObject({ read: 450, handled: 450 });
    expect(new Set(seen)).toEqual(new Set(ids));
  });

  it('does not bring back a person who was erased meanwhile', async () => {
    const { scope, records, receiver, api } = await scene();
    const user = { id: 'usr_gone', externalId: 'y' };
    await wrote(scope, 'daily.updated', steps('2026-11-28', 4_000, user), 9_000);
    await wrote(scope, 'user.erased', { user }, 8_000);
    const scrubbed = await wrote(scope, 'daily.updated', steps('2026-11-27', 4_000, user), 10_000);
    await server.db.pool.query('update event set data = null where id = $1', [scrubbed]);
    expect(await reconcile({ api, receiver, since: new Date(Date.now() - day) })).toMatchObject({ read: 3, handled: 2, erased: 1 });
    expect(records.list()).toEqual([]);
  });

  it('handles what was written just before, and is sent after', async () => {
    const { scope, seen, receiver, api } = await scene();
    await wrote(scope, 'daily.updated', steps('2026-11-26', 1), day + 660_000);
    const late = await wrote(scope, 'daily.updated', steps('2026-11-27', 2), day + 300_000);
    const since = new Date(Date.now() - day);
    expect(await reconcile({ api, receiver, since })).toMatchObject({ read: 1, handled: 1 });
    expect(seen).toEqual([late]);
  });

  it('handles once what a page shows again, and reads nothing when the time is none', async () => {
    const { scope, seen, receiver, api } = await scene();
    const id = await wrote(scope, 'daily.updated', steps('2026-11-28', 4_000), 9_000);
    const since = new Date(Date.now() - day);
    const twice: Pick<ApiClient, 'each'> = {
      async *each(path, options) {
        yield* api.each(path, options);
        yield* api.each(path, options);
      },
    };
    expect(await reconcile({ api: twice, receiver, since })).toMatchObject({ read: 2, handled: 1, duplicate: 1 });
    expect(seen).toEqual([id]);
    let read = 0;
    const counted = { each: () => (read++, api.each('/v1/events')) } as unknown as typeof twice;
    await expect(reconcile({ api: counted, receiver, since: new Date('yesterday') })).rejects.toThrow(RangeError);
    expect(read).toBe(0);
  });

  it('counts what failed and handles it the next time', async () => {
    let fails = true;
    const { scope, receiver, api } = await scene(() => {
      if (fails) throw new Error('no disk');
    });
    await wrote(scope, 'daily.updated', steps('2026-11-28', 4_000), 9_000);
    const since = new Date(Date.now() - day);
    expect(await reconcile({ api, receiver, since, type: 'daily.updated' })).toMatchObject({ read: 1, failed: 1, handled: 0 });
    fails = false;
    expect(await reconcile({ api, receiver, since, type: 'user.erased' })).toMatchObject({ read: 0 });
    expect(await reconcile({ api, receiver, since })).toMatchObject({ read: 1, failed: 0, handled: 1 });
  });
});
