export type { Sql, Statement } from './sql.js';
export { type ConnectOptions, type Database, connect } from './connect.js';
export { inTransaction } from './in-transaction.js';
export { type PgArrayType, pgArray } from './pg-array.js';
