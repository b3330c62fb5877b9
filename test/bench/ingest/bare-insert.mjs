// Contender: less than the route has to do: one insert of the delivery for each request through TypeORM. Looks up no subject, asks for no
// tombstone, writes no notice, and cannot tell a repeat.
import { DataSource, EntitySchema } from 'typeorm';
import { deliveryKey } from '../../../packages/storage/dist/index.js';
import { serveIngest } from './serve.mjs';

const text = (name, extra = {}) => ({ name, type: 'text', ...extra });
const Delivery = new EntitySchema({
  name: 'Delivery',
  tableName: 'webhook_delivery',
  columns: {
    deliveryKey: { name: 'delivery_key', type: 'uuid', primary: true },
    tenantId: text('tenant_id', { primary: true }),
    environment: text('environment', { primary: true }),
    providerAppId: text('provider_app_id'),
    deliveryId: text('delivery_id'),
    signedAt: { name: 'signed_at', type: 'timestamptz', nullable: true },
    grade: text('grade'),
    secretId: text('secret_id'),
    bodyHash: { name: 'body_hash', type: 'bytea' },
    rawBody: { name: 'raw_body', type: 'bytea', nullable: true },
  },
});

await serveIngest(async (config) => {
  const source = await new DataSource({
    type: 'postgres',
    url: config.databaseUrl,
    entities: [Delivery],
    // Four for each core, as many as bring anything.
    poolSize: 8,
  }).initialize();
  return (book) => ({
    ...book,
    async accept({ notices: _notices, signedAt, ...delivery }) {
      const row = {
        ...delivery,
        deliveryKey: deliveryKey(delivery).toString('hex'),
        signedAt: signedAt === undefined ? null : new Date(signedAt),
      };
      await source.createQueryBuilder().insert().into(Delivery).values(row).orIgnore().execute();
      // Not `new`: the contenders owe no tickets.
      return 'duplicate';
    },
  });
});
