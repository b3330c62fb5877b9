import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import { cloneDatabase } from '../../storage/testing/clone-database.js';
import { openTicketBackend } from './backend.js';
import { type Ticket, issueTickets, ticketWorkerOptions } from './ticket.js';

const STARTING_UP = refusal('57P03', 'the database system is starting up');

/** What PostgreSQL answers to a connection that it does not take: an error message of the wire protocol. */
function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Stands before PostgreSQL and can play one that is starting up: breaks what is open, and refuses what comes. */
class Doorman {
  refused = 0;
  #refusing = false;
  readonly #open = new Set<Socket>();
  readonly #server: Server;

  constructor(private readonly to: URL) {
    this.#server = createServer((near) => (this.#refusing ? this.#refuse(near) : this.#pass(near))).listen(0, '127.0.0.1');
  }

  async url(): Promise<string> {
    if (!this.#server.listening) await new Promise((resolve) => this.#server.once('listening', resolve));
    const url = new URL(this.to);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  refuse(): void {
    this.#refusing = true;
    for (const socket of this.#open) socket.destroy();
  }

  admit(): void {
    this.#refusing = false;
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }

  #refuse(near: Socket): void {
    this.refused += 1;
    near.on('error', () => undefined);
    near.once('data', () => near.end(STARTING_UP));
  }

  #pass(near: Socket): void {
    const far = connect({ host: this.to.hostname, port: Number(this.to.port || 5432) });
    for (const [a, b] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(a);
      a.on('error', () => b.destroy());
      a.on('close', () => {
        this.#open.delete(a);
        b.destroy();
      });
      a.pipe(b);
    }
  }
}

describe('tickets on a PostgreSQL that is starting up', () => {
  let db: Awaited<ReturnType<typeof cloneDatabase>>;
  let door: Doorman;
  let ends: (() => Promise<unknown>)[];
  let worked: string[];
  let told: number;

  beforeAll(async () => {
    db = await cloneDatabase();
  });
  afterAll(() => db.drop());
  beforeEach(() => {
    door = new Doorman(new URL(db.url));
    [ends, worked, told] = [[], [], 0];
  });
  afterEach(async () => {
    door.admit();
    for (const end of ends.reverse()) await end();
    door.close();
  });

  async function open(name: string): Promise<Queue<Ticket>> {
    const { options } = await openTicketBackend({ redisUrl: undefined, databaseUrl: await door.url(), onError: () => undefined });
    const queue = new Queue<Ticket>(name, options);
    const worker = new Worker<Ticket>(name, async ({ data }) => void worked.push(data.key), {
      ...options,
      ...ticketWorkerOptions,
      concurrency: 4,
    });
    queue.on('error', () => undefined);
    worker.on('error', () => {
      told += 1;
    });
    ends.push(
      () => queue.close(),
      () => worker.close(),
    );
    return queue;
  }

  const comesToWork = async (queue: Queue<Ticket>, key: string) => {
    await issueTickets(queue, [key], (error) => {
      throw error;
    });
    const until = Date.now() + 8_000;
    while (!worked.includes(key) && Date.now() < until) await sleep(20);
    expect(worked).toContain(key);
  };

  it('a worker and a queue that begin in that moment ask now and then, and work once it is up', async () => {
    door.refuse();
    const queue = await open('begin');
    await sleep(2_000);
    expect(door.refused).toBeGreaterThan(1);
    expect(door.refused).toBeLessThan(30);
    expect(told).toBeLessThan(20);
    door.admit();
    await comesToWork(queue, 'ten_1/live');
  }, 20_000);

  it('those that were at work ask now and then, and go on once it is up', async () => {
    const queue = await open('go-on');
    await comesToWork(queue, 'ten_1/live');
    door.refuse();
    await sleep(2_000);
    expect(door.refused).toBeLessThan(30);
    expect(told).toBeLessThan(20);
    door.admit();
    await comesToWork(queue, 'ten_2/live');
  }, 20_000);
});
