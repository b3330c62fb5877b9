import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { claimTableSql, recordTablesSql } from '../../packages/sdk/src/postgres.js';
import { redisRecords } from '../../packages/sdk/src/redis.js';
import { exampleSecret, signedRequest } from '../../packages/sdk/src/testing.js';
import { type TestDatabase, cloneDatabase } from '../../packages/storage/testing/clone-database.js';
import { type HeldValue, type SentEvent, deliveriesOf, diceOf, historyOf, sorted } from './history.js';

jest.setTimeout(480_000);

const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'receiver-process.mjs');
const redisUrl = process.env.TEST_REDIS_URL;
const seed = Number(process.env.REPLAY_SEED ?? Date.now() % 1_000_000);
const eventCount = 1_000;
/** A process is killed each time so many deliveries were answered. */
const killEvery = 150;
/** Requests under way at the same moment. */
const lanes = 12;

interface Mode {
  readonly name: 'transaction' | 'lease' | 'redis';
  /** Whether an effect may be there twice: when a process died after it and before the completion. */
  readonly exactlyOnce: boolean;
}

/** A process of the receiver that is started again whenever it was killed. */
class Receiver {
  private child: ChildProcess | undefined;
  private url = 'http://127.0.0.1:1/';
  private cycle: Promise<void> = Promise.resolve();

  constructor(private readonly env: Record<string, string>) {}

  async start(): Promise<void> {
    const child = spawn(process.execPath, [script], { env: { ...process.env, ...this.env }, stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    const port = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', (code) => reject(new Error(`The receiver ended with ${code}.`)));
    });
    this.url = `http://127.0.0.1:${port}/`;
  }

  /** Killed and started, once it has started before. */
  restart(): Promise<void> {
    this.cycle = this.cycle.then(() => this.kill()).then(() => this.start());
    return this.cycle;
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** The status, or 0 when no answer came. */
  async post(event: SentEvent, deliveryAttempt: number): Promise<number> {
    const body = JSON.stringify({ type: event.type, timestamp: '2026-11-30T07:12:44.031Z', deliveryAttempt, data: event.data });
    const request = await signedRequest({ secret: exampleSecret, id: event.id, at: new Date(), body });
    return fetch(this.url, request).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => 0,
    );
  }
}

interface Replayed {
  readonly kills: number;
  /** How often which status was answered; 0: none came. */
  readonly answers: ReadonlyMap<number, number>;
}

/** Every delivery is tried until it is answered 204, as the sender does, at a process that chance picks. */
async function replay(deliveries: readonly SentEvent[], receivers: readonly Receiver[], dice: () => number): Promise<Replayed> {
  const waiting = [...deliveries];
  const answers = new Map<number, number>();
  const starting: Promise<void>[] = [];
  let answered = 0;
  let kills = 0;
  const lane = async (): Promise<void> => {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      for (let attempt = 1; ; attempt++) {
        const status = await (receivers[Math.floor(dice() * receivers.length)] as Receiver).post(event, attempt);
        answers.set(status, (answers.get(status) ?? 0) + 1);
        if (status === 204) break;
        if (attempt > 2_000) throw new Error(`${event.id} is never answered 204: ${JSON.stringify([...answers])}`);
        await sleep(20);
      }
      if (++answered % killEvery === 0) {
        kills++;
        starting.push((receivers[Math.floor(dice() * receivers.length)] as Receiver).restart());
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await Promise.all(starting);
  return { kills, answers };
}

let db: TestDatabase;
const prefix = `replay-${process.pid}:`;

beforeAll(async () => {
  db = await cloneDatabase();
  await db.pool.query(claimTableSql());
  await db.pool.query(recordTablesSql());
  await db.pool.query('create table effect (webhook_id text not null)');
});
afterAll(() => db.drop());

async function heldInPostgres(): Promise<readonly HeldValue[]> {
  const { rows } = await db.pool.query<HeldValue>(
    `select user_id as "user", metric, item, local_date as "localDate", revision::int as revision from tributary_record where data is not null`,
  );
  return sorted(rows);
}

async function heldInRedis(): Promise<readonly HeldValue[]> {
  const client = await createClient({ url: redisUrl as string }).connect();
  try {
    const names = await client.keys(`${prefix}person:*`);
    const books = await Promise.all(
      names.map((name) => redisRecords(client, { prefix: `${prefix}person:` }).list(name.slice(`${prefix}person:`.length))),
    );
    await client.del([...names, ...(await client.keys(`${prefix}*`)), `${prefix}none`]);
    return sorted(
      books
        .flat()
        .map(({ key, revision, data }) => ({ user: key.userId, metric: key.metric, item: key.item, localDate: data.localDate, revision })),
    );
  } finally {
    await client.close();
  }
}

const modes: readonly Mode[] = [
  { name: 'transaction', exactlyOnce: true },
  { name: 'lease', exactlyOnce: false },
  ...(redisUrl ? [{ name: 'redis', exactlyOnce: false } as const] : []),
];

describe.each(modes)(
  'a thousand events, shuffled, each sent one to five times to two processes that are killed: $name',
  ({ name, exactlyOnce }) => {
    it(`leave the table as it should be (REPLAY_SEED=${seed})`, async () => {
      await db.pool.query('truncate effect, tributary_claim, tributary_record, tributary_person');
      const dice = diceOf(seed);
      const { events, truth } = historyOf(eventCount, dice);
      const deliveries = deliveriesOf(events, dice);
      const env = {
        RECEIVER_MODE: name,
        RECEIVER_SECRET: exampleSecret,
        RECEIVER_DATABASE_URL: db.url,
        RECEIVER_REDIS_URL: redisUrl ?? '',
        RECEIVER_PREFIX: prefix,
      };
      const receivers = [new Receiver(env), new Receiver(env)];
      let replayed: Replayed;
      try {
        await Promise.all(receivers.map((receiver) => receiver.start()));
        replayed = await replay(deliveries, receivers, dice);
      } finally {
        await Promise.all(receivers.map((receiver) => receiver.kill()));
      }
      // That the kills met requests under way is what makes this a proof.
      expect(replayed.kills).toBe(Math.floor(deliveries.length / killEvery));
      expect(replayed.answers.get(0)).toBeGreaterThan(replayed.kills);
      expect([events.length, truth.length > 50, replayed.answers.get(204)]).toEqual([eventCount, true, deliveries.length]);

      expect(await (name === 'redis' ? heldInRedis() : heldInPostgres())).toEqual(truth);
      const { rows } = await db.pool.query<{ effects: number; events: number }>(
        'select count(*)::int as effects, count(distinct webhook_id)::int as events from effect',
      );
      expect(rows[0]?.events).toBe(eventCount);
      if (exactlyOnce) expect(rows[0]?.effects).toBe(eventCount);
      if (name !== 'redis') {
        const { rows: claims } = await db.pool.query('select count(*)::int as claims, count(done_at)::int as done from tributary_claim');
        expect(claims).toEqual([{ claims: eventCount, done: eventCount }]);
      }
    });
  },
);
