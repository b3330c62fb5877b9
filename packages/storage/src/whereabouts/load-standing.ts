import type { Scope, ZonePeriod } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** What a read must know of its connection besides its tokens. */
export interface ConnectionStanding {
  /** Of the provider's profile, oldest first. */
  readonly zones: readonly ZonePeriod[];
  /** What the customer says. */
  readonly fallbackZone: string | undefined;
  readonly scopes: readonly string[];
  /** Rows that rest on a guess may move. */
  readonly redateDue: boolean;
  /** The scopes changed, and the rows do not show it yet. */
  readonly permissionsDue: boolean;
}

/** @returns undefined when the connection is not there any more. */
export async function loadStanding(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
): Promise<ConnectionStanding | undefined> {
  const { rows } = await sql.query<Row & Record<string, unknown>>({
    name: 'whereabouts/load-standing',
    text: `
      select u.fallback_zone as "fallbackZone", c.scopes, c.redate_due as "redateDue", c.permissions_due as "permissionsDue",
        array(select z.zone from profile_zone z
          where z.tenant_id = $1 and z.environment = $2 and z.connection_id = $3 order by z.valid_from) as zones,
        array(select (extract(epoch from z.valid_from) * 1000)::bigint::float8 from profile_zone z
          where z.tenant_id = $1 and z.environment = $2 and z.connection_id = $3 order by z.valid_from) as since
      from connection c
      join app_user u on u.tenant_id = c.tenant_id and u.environment = c.environment and u.id = c.user_id
      where c.tenant_id = $1 and c.environment = $2 and c.id = $3`,
    values: [tenantId, environment, connectionId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { zones, since, fallbackZone, ...rest } = row;
  return {
    ...rest,
    zones: zones.map((zone, index) => ({ zone, validFrom: since[index] as number })),
    fallbackZone: fallbackZone ?? undefined,
  };
}

interface Row extends Pick<ConnectionStanding, 'redateDue' | 'permissionsDue'> {
  readonly fallbackZone: string | null;
  readonly scopes: string[];
  readonly zones: string[];
  readonly since: number[];
}
