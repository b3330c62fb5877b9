import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { Sql, Statement } from '../sql.js';

/** What statements and transactions need of a pool. */
export interface Connections extends Sql {
  connect(): Promise<PoolClient>;
}

/**
 * Hands out connections of the pool that `choose` names. A statement is sent by who asked for it: pg's own `pool.query` may send it in the
 * name of whoever gave the connection back, and so with that caller's rows in sight.
 */
export function scopedPool(choose: () => Pool): Connections {
  return {
    connect: () => choose().connect(),
    async query<R extends QueryResultRow>(statement: Statement): Promise<QueryResult<R>> {
      const client = await choose().connect();
      let broken: Error | undefined;
      const onBroken = (error: Error) => {
        broken = error;
      };
      client.on('error', onBroken);
      try {
        return await client.query<R>(statement);
      } catch (error) {
        // What Postgres itself refused leaves the connection as good as it was.
        if ((error as { severity?: string }).severity === undefined) broken ??= error as Error;
        throw error;
      } finally {
        client.off('error', onBroken);
        client.release(broken);
      }
    },
  };
}
