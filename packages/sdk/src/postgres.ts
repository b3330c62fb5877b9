export { type PostgresClient, type PostgresPool } from './postgres-client.js';
export { type InTransaction, claimTableSql, postgresStore, postgresTransactions } from './claim-store.postgres.js';
export { type RecordTables, postgresRecords, recordSql, recordTablesSql } from './record-book.postgres.js';
export { type VersionedRow, type VersionedTable, type VersionedTableOptions, versionedTable } from './versioned-table.postgres.js';
