import express from 'express';
import pg from 'pg';
import { memoryRecords, memoryStore } from '@tributary/sdk';
import { createReceiver, nodeHandler } from '@tributary/sdk/node';
import { claimTableSql, postgresRecords, postgresTransactions, recordTablesSql } from '@tributary/sdk/postgres';
import { keepIn } from './keep-steps.mjs';

const secrets = process.env.TRIBUTARY_WEBHOOK_SECRET ?? '';

async function inPostgres(connectionString) {
  const pool = new pg.Pool({ connectionString });
  pool.on('error', (error) => console.error('Postgres:', error.message));
  await pool.query(claimTableSql());
  await pool.query(recordTablesSql());
  return createReceiver({
    secrets,
    store: postgresTransactions(pool),
    // The transaction holds the claim, what is written here, and the completion: all of it is kept, or nothing.
    handlers: { otherwise: (event, { transaction }) => keepIn(postgresRecords(transaction))(event) },
  });
}

const receiver = process.env.DATABASE_URL
  ? await inPostgres(process.env.DATABASE_URL)
  : createReceiver({ secrets, store: memoryStore(), handlers: { otherwise: keepIn(memoryRecords()) } });

const app = express();
// Before any express.json(): the signature covers the bytes as they came.
app.post('/webhooks/tributary', nodeHandler(receiver));
app.use(express.json());
app.post('/orders', (request, response) => response.json({ got: request.body }));

const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log(`listening on ${server.address().port}`));
