import type { IngestOutcome } from './provider.js';
import type { Answer } from './raw-request.js';

/**
 * What a provider understands that asks for any 2xx and repeats everything else. Others spread it and change what theirs does not.
 * Never 410: to Oura it means that we want no more.
 */
export const usualAnswers: Readonly<Record<IngestOutcome, Answer>> = {
  accepted: { status: 200 },
  unauthenticated: { status: 401 },
  // Repeating it would not mend it: it is ours to look at.
  malformed: { status: 200 },
  'too-large': { status: 413 },
  unavailable: { status: 503, headers: { 'retry-after': '5' } },
  unsupported: { status: 405, headers: { allow: 'POST' } },
};
