import type { FetchOutcome } from '@tributary/domain';
import { ProviderUnreachable } from './provider.js';

/** An answer is not of the shape that we know. The message names the path of the fault, never a value. */
export class Drift extends Error {
  override readonly name = 'Drift';
}

/** A read that needs several answers ends at the first that refuses it. */
export class EndOfRead extends Error {
  override readonly name = 'EndOfRead';
  constructor(readonly outcome: FetchOutcome) {
    super(outcome.is);
  }
}

/** What a provider does is never thrown: a read without a whole answer, or with one that we do not understand, ends in an outcome too. */
export async function outcomeOf(read: () => Promise<FetchOutcome>): Promise<FetchOutcome> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof EndOfRead) return error.outcome;
    if (error instanceof ProviderUnreachable) return { is: 'transient', code: error.code };
    if (error instanceof Drift) return { is: 'drift', detail: error.message };
    throw error;
  }
}
