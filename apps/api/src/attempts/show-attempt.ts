import type { AttemptRow, FoundAttemptRow } from '@tributary/storage';
import type { z } from 'zod';
import type { attempt } from '../events/event.js';
import type { foundAttempt } from './attempt.js';

export function showAttempt(row: AttemptRow): z.infer<typeof attempt> {
  return {
    endpointId: row.endpointId,
    n: row.n,
    startedAt: row.startedAt.toISOString(),
    durationMs: row.durationMs,
    outcome: row.outcome,
    statusCode: row.statusCode,
    responseHeaders: row.responseHeaders,
    responseBody: row.responseBody?.toString('utf8') ?? null,
  };
}

export function showFoundAttempt(row: FoundAttemptRow): z.infer<typeof foundAttempt> {
  return { ...showAttempt(row), eventId: row.eventId };
}
