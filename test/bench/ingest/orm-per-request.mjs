// Contender: the usual way to do what we do: for each request find the connections, look for a tombstone, and insert the delivery and its
// notices in a transaction, all through TypeORM.
import { DataSource, EntitySchema, In } from 'typeorm';
import { deliveryKey } from '../../../packages/storage/dist/index.js';
import { serveIngest } from './serve.mjs';

const text = (name, extra = {}) => ({ name, type: 'text', ...extra });
const scope = { tenantId: text('tenant_id', { primary: true }), environment: text('environment', { primary: true }) };
const Connection = new EntitySchema({
  name: 'Connection',
  tableName: 'connection',
  columns: {
    ...scope,
    id: text('id', { primary: true }),
    providerAppId: text('provider_app_id'),
    subjectId: text('subject_id'),
    status: text('status'),
  },
});
const Tombstone = new EntitySchema({
  name: 'Tombstone',
  tableName: 'subject_tombstone',
  columns: {
    ...scope,
    providerAppId: text('provider_app_id', { primary: true }),
    subjectHash: { name: 'subject_hash', type: 'bytea', primary: true },
  },
});
const Delivery = new EntitySchema({
  name: 'Delivery',
  tableName: 'webhook_delivery',
  columns: {
    deliveryKey: { name: 'delivery_key', type: 'uuid', primary: true },
    ...scope,
    providerAppId: text('provider_app_id'),
    deliveryId: text('delivery_id'),
    signedAt: { name: 'signed_at', type: 'timestamptz', nullable: true },
    grade: text('grade'),
    secretId: text('secret_id'),
    bodyHash: { name: 'body_hash', type: 'bytea' },
    rawBody: { name: 'raw_body', type: 'bytea', nullable: true },
  },
});
const Notice = new EntitySchema({
  name: 'Notice',
  tableName: 'webhook_notice',
  columns: {
    deliveryKey: { name: 'delivery_key', type: 'uuid', primary: true },
    ...scope,
    ordinal: { type: 'int', primary: true },
    connectionId: text('connection_id', { primary: true }),
    providerAppId: text('provider_app_id'),
    collection: text('collection'),
    kind: text('kind'),
    windowKind: text('window_kind'),
    windowStart: text('window_start'),
    windowEnd: text('window_end'),
    version: { type: 'bigint', nullable: true },
  },
});

await serveIngest(async (config) => {
  const source = await new DataSource({
    type: 'postgres',
    url: config.databaseUrl,
    entities: [Connection, Tombstone, Delivery, Notice],
    poolSize: 8,
  }).initialize();
  return (book) => ({
    ...book,
    async accept({ notices, signedAt, tenantId, environment, providerAppId, ...delivery }) {
      const app = { tenantId, environment, providerAppId };
      const key = deliveryKey({ ...app, deliveryId: delivery.deliveryId }).toString('hex');
      return source.transaction(async (manager) => {
        const told = [];
        for (const [ordinal, { subjectId, subjectHashes, window, collection, kind, version }] of notices.entries()) {
          if (await manager.existsBy(Tombstone, { ...app, subjectHash: In(subjectHashes) })) continue;
          const connections = await manager.find(Connection, {
            where: { ...app, subjectId, status: In(['active', 'reauth_required']) },
            lock: { mode: 'for_key_share' },
          });
          for (const { id } of connections) {
            const at = { windowKind: window.kind, windowStart: window.id, windowEnd: window.id };
            told.push({ ...app, deliveryKey: key, ordinal, connectionId: id, collection, kind, version, ...at });
          }
        }
        if (told.length === 0) return 'unknown';
        const row = { ...app, ...delivery, deliveryKey: key, signedAt: signedAt === undefined ? null : new Date(signedAt) };
        const written = await manager
          .createQueryBuilder()
          .insert()
          .into(Delivery)
          .values(row)
          .orIgnore()
          .returning('delivery_key')
          .execute();
        if (written.raw.length > 0) await manager.insert(Notice, told);
        // Not `new`: the contenders owe no tickets.
        return 'duplicate';
      });
    },
  });
});
