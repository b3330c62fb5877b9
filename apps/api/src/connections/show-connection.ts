import type { ConnectionRow } from '@tributary/storage';
import type { z } from 'zod';
import type { connection } from './connection.js';

export function showConnection(row: ConnectionRow): z.infer<typeof connection> {
  return {
    id: row.id,
    userId: row.userId,
    provider: row.provider,
    providerAppId: row.providerAppId,
    status: row.status,
    scopes: row.scopes,
    sweep: {
      lastSweptAt: row.sweeps.reduce<string | null>((last, { lastSweptAt: at }) => (last === null || at > last ? at : last), null),
      nextSweepAt: row.nextSweepAt?.toISOString() ?? null,
      collections: row.sweeps.map(({ collection, lastSweptAt }) => ({ collection, lastSweptAt })),
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
