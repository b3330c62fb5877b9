export { type PostgresClient } from './postgres-client.js';
export { claimTableSql, postgresStore } from './claim-store.postgres.js';
export { type RecordTables, postgresRecords, recordSql, recordTablesSql } from './record-book.postgres.js';
