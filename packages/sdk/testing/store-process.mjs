// One process of a receiver, as far as its store goes: takes {n, method, args} by lines, answers {n, result} or {n, error}.
import { createInterface } from 'node:readline';

const [kind, url] = process.argv.slice(2);

async function openStore() {
  if (kind === 'postgres') {
    const { default: pg } = await import('pg');
    const { postgresStore } = await import('../dist/postgres.js');
    return postgresStore(new pg.Pool({ connectionString: url, max: 4 }));
  }
  const { redisStore } = await import('../dist/redis.js');
  const prefix = process.argv[4];
  if (kind === 'ioredis') {
    const { Redis } = await import('ioredis');
    return redisStore(new Redis(url), { prefix });
  }
  const { createClient } = await import('redis');
  return redisStore(await createClient({ url }).connect(), { prefix });
}

const store = await openStore();
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
say({ n: 0, result: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const { n, method, args } = JSON.parse(line);
  store[method](...args).then(
    (result) => say({ n, result }),
    (error) => say({ n, error: String(error) }),
  );
}
process.exit(0);
