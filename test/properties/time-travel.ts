import pg from 'pg';

/**
 * Lets time pass in a database without waiting: `now()` and its kin are found first in a schema of ours, which adds a span. Whoever was
 * connected before is cut off, since a connection keeps the search path that it began with.
 */
export async function installClock(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const shifted = (name: string, kind: 'stable' | 'volatile') => `
      create function test_time.${name}() returns timestamptz language sql ${kind}
        return pg_catalog.${name}() + (select by from test_time.shift);`;
    await client.query(`
      create schema test_time;
      create table test_time.shift (by interval not null);
      insert into test_time.shift values (interval '0');
      ${shifted('now', 'stable')}
      ${shifted('statement_timestamp', 'stable')}
      ${shifted('clock_timestamp', 'volatile')}
      do $$ begin execute format('alter database %I set search_path = test_time, public, pg_catalog', current_database()); end $$;
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
  } finally {
    await client.end();
  }
}

/** @param ms since the test began, by every clock but the wall's. */
export async function setClock(pool: pg.Pool, ms: number): Promise<void> {
  await pool.query(`update test_time.shift set by = $1 * interval '1 millisecond'`, [ms]);
}
