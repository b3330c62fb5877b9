import type { QueryResult, QueryResultRow } from 'pg';

/** A named statement: prepared once on each connection, then only its parameters travel. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** A pool (each statement commits by itself) or one client inside a transaction. */
export interface Sql {
  query<R extends QueryResultRow>(statement: Statement): Promise<QueryResult<R>>;
}
