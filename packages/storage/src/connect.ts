import pg from 'pg';
import { DataSource } from 'typeorm';
import { type VisibleRows, scopedClient } from './tenants/scoped-client.js';

/** bigint columns hold revisions, versions and counts, all below 2^53: read as numbers. Dates stay text: a civil day is no instant. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number;
    if (oid === pg.types.builtins.DATE) return (text: string) => text;
    return pg.types.getTypeParser(oid, format) as unknown;
  }) as pg.CustomTypesConfig['getTypeParser'],
};

export interface Database {
  readonly pool: pg.Pool;
  /** Throws when Postgres does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url: string;
  /** About four for each core; more bring nothing, since the gain is Postgres' group commit. */
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Postgres settings of every session, e.g. `lock_timeout: '2s'`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A statement without an answer for so long fails, and its connection is given up: the other end may be gone without a word. */
  readonly queryTimeoutMs?: number;
  /** Sessions take on the API's role, which sees of each table what this says at the moment of a statement. Undefined: the owner's sessions. */
  readonly visibleRows?: () => VisibleRows | undefined;
}

/** As `migrations/` makes it. */
const API_ROLE = 'tributary_api';

/**
 * Opens the pool through TypeORM's data source, so that hot statements and repositories share connections. Never synchronises the
 * schema: `migrations/` does.
 */
export async function connect({
  url,
  poolSize,
  applicationName,
  settings: given = {},
  queryTimeoutMs,
  visibleRows,
}: ConnectOptions): Promise<Database & { readonly dataSource: DataSource }> {
  const settings = visibleRows === undefined ? given : { ...given, role: API_ROLE };
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    poolSize,
    applicationName,
    synchronize: false,
    entities: [],
    extra: {
      types,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      ...(visibleRows === undefined ? {} : { Client: scopedClient(visibleRows) }),
      ...(queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs }),
      ...(Object.keys(settings).length === 0
        ? {}
        : {
            options: Object.entries(settings)
              .map(([name, value]) => `-c ${name}=${value}`)
              .join(' '),
          }),
    },
  });
  await dataSource.initialize().catch((error: unknown) => {
    throw visibleRows === undefined ? error : roleFault(error);
  });
  const pool = (dataSource.driver as unknown as { master: pg.Pool }).master;
  try {
    // A process on a database without our tables would call itself ready and fail at all it does. 42P01 is told as such.
    await pool.query('select from tenant limit 0');
    if (visibleRows !== undefined) await demandRole(pool);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return {
    dataSource,
    pool,
    async check() {
      await pool.query('select 1');
    },
    async close() {
      await dataSource.destroy();
    },
  };
}

/** @throws Error when sessions are somebody else's: then nothing would keep the rows of one caller from another. */
async function demandRole(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('select current_user::text as name');
  const [session] = rows;
  if (session?.name === API_ROLE) return;
  throw new Error(
    `sessions run as ${session?.name} instead of ${API_ROLE}. What stands in front of PostgreSQL drops the startup parameter "options": let it through, or connect past it`,
  );
}

/** The role is not there, or the user may not take it on. */
function roleFault(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== '42501' && code !== '22023') return error;
  return new Error(
    `${message}. Run the migrations as the user of DATABASE_URL; where that user may not make roles, an administrator first runs: create role ${API_ROLE} nologin; grant ${API_ROLE} to that user`,
  );
}
