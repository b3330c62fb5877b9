/** Nothing was promised to the provider: it is told to come back. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  constructor(
    readonly why: 'overloaded' | 'late' | 'failed',
    options?: ErrorOptions,
  ) {
    super(`The delivery was not stored: ${why}`, options);
  }
}

/** Postgres refuses this delivery for what it holds; repeating it would not mend it. `code`: SQLSTATE. */
export class Unstorable extends Error {
  override readonly name = 'Unstorable';
  constructor(readonly code: string) {
    super(`The database refuses the delivery: ${code}`);
  }
}

/** Classes 22 data exception, 23 integrity, 54 program limit (e.g. a key too long for its index). */
const OF_THE_DATA = /^(22|23|54)...$/;
/** Classes 40 and 55P03: deadlock, serialization, lock not available: the next one may not meet it. */
const OF_ANOTHER_TRANSACTION = /^(40...|55P03)$/;

/** Whether one delivery of a batch may have brought it down, so that its batch-mates should be tried without it. */
export function mayBlameItem(error: unknown): boolean {
  const code = sqlState(error);
  return OF_THE_DATA.test(code) || OF_ANOTHER_TRANSACTION.test(code);
}

/** What a fault of the store means for one delivery that stood alone. */
export function storageFault(error: unknown): StorageUnavailable | Unstorable {
  if (error instanceof StorageUnavailable) return error;
  const code = sqlState(error);
  return OF_THE_DATA.test(code) ? new Unstorable(code) : new StorageUnavailable('failed', { cause: error });
}

/**
 * What may be logged of any fault: its kind, code and place. Never its message or details, since Postgres and parsers quote the
 * values that they complain of.
 */
export function describeFault(error: unknown): { fault: string; code?: string; at?: string } {
  const { name, code, stack, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  if (cause !== undefined) return describeFault(cause);
  const frames = stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6)
    .map((line) => line.trim())
    .join(' < ');
  return { fault: name ?? 'unknown', ...(typeof code === 'string' ? { code } : {}), ...(frames ? { at: frames } : {}) };
}

function sqlState(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
