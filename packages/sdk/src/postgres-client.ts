/** The part of a `pg` Pool or Client (or of anything alike) that is used. Pass a client inside a transaction to take part in it. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[]; rowCount?: number | null }>;
}

/** The part of a `pg` Pool that is used to begin transactions. */
export interface PostgresPool<Client extends PostgresClient> {
  connect(): Promise<Client & { release(destroy?: boolean): void }>;
}

/** A name that may stand unquoted in a statement, with or without its schema. @throws TypeError */
export function tableName(name: string): string {
  if (!/^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/.test(name)) throw new TypeError(`Not a plain table name: ${JSON.stringify(name)}`);
  return name;
}
