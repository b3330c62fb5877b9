import type { PoolClient } from 'pg';
import type { Connections } from './tenants/scoped-pool.js';

/** Serialization failure and deadlock: Postgres asks us to run the whole transaction again. */
const RETRYABLE = new Set(['40001', '40P01']);

/** Runs `work` in one transaction; commits when it returns, rolls back when it throws. Repeats on deadlock, up to five times. */
export async function inTransaction<T>(pool: Pick<Connections, 'connect'>, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const client = await pool.connect();
    let broken: Error | undefined;
    // A connection can break between two statements, when no one waits for an answer; the next statement then fails. An error event
    // that nobody listens to would end the process.
    const onBroken = (error: Error) => {
      broken = error;
    };
    client.on('error', onBroken);
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((lost: Error) => {
        broken = lost;
      });
      if (tries >= 5 || !RETRYABLE.has((error as { code?: string }).code ?? '')) throw error;
    } finally {
      client.off('error', onBroken);
      client.release(broken);
    }
  }
}
