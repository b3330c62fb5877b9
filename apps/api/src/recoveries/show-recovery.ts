import { type RecoveryRow, recoveryPace } from '@tributary/storage';
import { type z } from 'zod';
import type { recovery } from './recovery.js';

/** @param now epoch milliseconds */
export function showRecovery(row: RecoveryRow, now: number): z.infer<typeof recovery> {
  const running = row.state === 'running';
  const paused = running && row.endpointStatus === 'disabled';
  const slices = Math.ceil(Math.max(0, row.total - row.queued) / recoveryPace.slice);
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    paused,
    endpointId: row.endpointId ?? null,
    types: row.eventTypes === undefined ? null : [...row.eventTypes],
    userIds: row.userIds === undefined ? null : [...row.userIds],
    providers: row.providers === undefined ? null : [...row.providers],
    metrics: row.metrics === undefined ? null : [...row.metrics],
    states: [...row.states],
    from: row.from.toISOString(),
    to: row.to.toISOString(),
    total: row.total,
    queued: row.queued,
    estimatedEndAt: running && !paused ? new Date(now + slices * recoveryPace.everyMs).toISOString() : null,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
