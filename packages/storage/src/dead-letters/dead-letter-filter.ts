/** Which dead letters are meant; what is undefined does not restrict. */
export interface DeadLetterFilter {
  readonly id?: string | undefined;
  readonly bucket?: 'transient' | 'drift' | 'unresolvable' | undefined;
  readonly provider?: string | undefined;
  readonly userId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly collection?: string | undefined;
  readonly code?: string | undefined;
  /** Opened before this. */
  readonly openedBefore?: Date | undefined;
}

/** Parameters $3 to $10 that go with {@link deadLetterMatches}; $1 and $2 are tenant and environment. */
export function deadLetterValues(filter: DeadLetterFilter): unknown[] {
  const { id, bucket, provider, userId, connectionId, collection, code, openedBefore } = filter;
  return [id, bucket, provider, userId, connectionId, collection, code, openedBefore].map((value) => value ?? null);
}

/** The condition on `dead_letter l`. */
export const deadLetterMatches = `
  l.tenant_id = $1 and l.environment = $2 and ($3::text is null or l.id = $3) and ($4::text is null or l.bucket = $4)
  and ($5::text is null or l.provider = $5) and ($6::text is null or l.user_id = $6) and ($7::text is null or l.connection_id = $7)
  and ($8::text is null or l.collection = $8) and ($9::text is null or l.code = $9)
  and ($10::timestamptz is null or l.opened_at < $10)`;
