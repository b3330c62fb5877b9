/** A client of `redis` (node-redis): createClient, its pool. */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** A client of `ioredis`, its Cluster as well. */
export interface IoRedisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

export type RedisClient = NodeRedisClient | IoRedisClient;

export type RedisCommand = (...args: readonly [string, ...string[]]) => Promise<unknown>;

/** Both kinds as one function. ioredis has a `sendCommand` too, which takes something else, so its `call` is looked for first. */
export function redisCommand(client: RedisClient): RedisCommand {
  if ('call' in client && typeof client.call === 'function') return (command, ...args) => client.call(command, ...args);
  if ('sendCommand' in client && typeof client.sendCommand === 'function') return (...args) => client.sendCommand([...args]);
  throw new TypeError('Not a Redis client: neither `call` (ioredis) nor `sendCommand` (redis) is there.');
}

/** Runs a script on one key; Redis runs nothing else meanwhile. */
export function redisScript(client: RedisClient, script: string): (key: string, ...args: readonly (string | number)[]) => Promise<unknown> {
  const command = redisCommand(client);
  return (key, ...args) => command('EVAL', script, '1', key, ...args.map(String));
}
