import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

/** Somebody whose watch pushes. */
async function wearer(): Promise<Person> {
  const scope = await bench.seed.environment({ debounceMs: 0, maxWaitMs: 0 });
  const app = await bench.seed.app(scope, { provider: 'garmin' });
  const user = await bench.seed.user(scope);
  return { scope, app, user, connection: await bench.seed.connection(app, user), endpoint: await bench.seed.endpoint(scope) };
}

let pushes = 0;
/** A push as ingest leaves it. */
async function push({ connection }: Person, summary: object | undefined): Promise<void> {
  pushes += 1;
  await bench.db.pool.query(
    `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind, window_kind,
       window_start, window_end, carried, received_at)
     values ($1, $2, $3, md5($4)::uuid, 0, $5, 'dailies', 'changed', 'days', '2026-09-14', '2026-09-15', $6, clock_timestamp())`,
    [
      connection.tenantId,
      connection.environment,
      connection.providerAppId,
      `push-${pushes}`,
      connection.id,
      summary === undefined ? null : Buffer.from(JSON.stringify(summary)),
    ],
  );
}

const state = (durationInSeconds: number, steps: number) => ({
  summaryId: `x-${durationInSeconds}`,
  calendarDate: '2026-09-14',
  startTimeInSeconds: 1_789_336_800,
  startTimeOffsetInSeconds: 7_200,
  durationInSeconds,
  steps,
});

async function work(person: Person): Promise<void> {
  await bench.resolve(person);
  await bench.makeDue(person);
  await bench.fetch(person);
}

describe('a window whose notices carried their data', () => {
  it('is applied from them, and nobody is asked', async () => {
    const person = await wearer();
    await push(person, state(36_000, 3_000));
    await work(person);
    expect(await bench.value(person)).toBe(3_000);
    expect(await bench.windows(person)).toMatchObject([{ collection: 'dailies', state: 'settled' }]);
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 1 }]);
    expect((await bench.events(person)).map(({ type }) => type)).toEqual(['daily.updated']);
    expect(bench.oura.calls).toMatchObject({ object: 0, list: 0, refresh: 0 });
  });

  it('a repeat that comes after its successor changes nothing and is no event', async () => {
    const person = await wearer();
    await push(person, state(36_000, 3_000));
    await work(person);
    await push(person, state(72_000, 9_000));
    await work(person);
    await push(person, state(36_000, 3_000));
    await work(person);
    expect(await bench.value(person)).toBe(9_000);
    expect(await bench.events(person)).toHaveLength(2);
  });

  it('once the newest notice carries nothing, what the earlier ones carried is old, and the provider is asked', async () => {
    const person = await wearer();
    await push(person, state(36_000, 3_000));
    await work(person);
    await push(person, undefined);
    await work(person);
    // The stand-in here is not Garmin's; that it was asked at all shows in how the read ended.
    expect(await bench.windows(person)).not.toMatchObject([{ state: 'settled' }]);
    expect(await bench.value(person)).toBe(3_000);
  });

  it('what is not of Garmin’s shape is a dead letter, and the old value stays', async () => {
    const person = await wearer();
    await push(person, state(36_000, 3_000));
    await work(person);
    await push(person, { ...state(72_000, 0), steps: 'many' });
    await work(person);
    expect(await bench.value(person)).toBe(3_000);
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'drift', detail: 'carried[1].steps is no number', open: true }]);
  });
});
