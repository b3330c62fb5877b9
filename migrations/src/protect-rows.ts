import type pg from 'pg';

/** The role that the API's sessions take on: no login of its own, and bound by the policies below. */
export const API_ROLE = 'tributary_api';

/**
 * Gives the API's role exactly the rows of the caller, in every table that holds a tenant's rows; run after the steps, so that a table of a
 * later step cannot be forgotten. Owners of the tables (all other processes) are not bound. What a table is not named for, the role cannot
 * touch: partitions only by way of their parents, and nothing of the schemas `bullmq` and `schema_step`.
 *
 * The caller is told by two settings, `tributary.tenant` and `tributary.environment`, that hold for one transaction; unset they are no row's.
 */
export async function protectRows(client: pg.Client): Promise<void> {
  await makeRole(client);
  await client.query('begin');
  await client.query(`grant usage on schema public to ${API_ROLE}`);
  await client.query(`
    do $$
    declare
      target record;
    begin
      for target in
        select c.oid::regclass as name, c.relrowsecurity as protected,
          has_table_privilege('${API_ROLE}', c.oid, 'select') and has_table_privilege('${API_ROLE}', c.oid, 'delete') as granted,
          exists (select from pg_policy where polrelid = c.oid and polname = 'tenant_rows') as has_policy
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and (select count(*) from pg_attribute a
            where a.attrelid = c.oid and a.attname in ('tenant_id', 'environment') and not a.attisdropped) = 2
      loop
        -- Only what is missing: the statement locks the table.
        if not target.protected then
          execute format('alter table %s enable row level security', target.name);
        end if;
        if not target.has_policy then
          execute format('create policy tenant_rows on %s using (tenant_id = current_setting(''tributary.tenant'', true) '
            'and environment = current_setting(''tributary.environment'', true))', target.name);
        end if;
        if not target.granted then
          execute format('grant select, insert, update, delete on %s to ${API_ROLE}', target.name);
        end if;
      end loop;
      if to_regclass('public.tenant') is not null and not exists (select from pg_policy where polname = 'own_tenant') then
        alter table tenant enable row level security;
        create policy own_tenant on tenant for select using (id = current_setting('tributary.tenant', true));
        grant select on tenant to ${API_ROLE};
        -- A key is looked up before it is known whose it is: who shows the whole key may see its row.
        create policy presented_key on api_key for select
          using (hash = decode(coalesce(current_setting('tributary.presented_key', true), ''), 'hex'));
      end if;
    end
    $$`);
  await client.query('commit');
}

/** Roles belong to the whole server: another database of ours may have made it, or makes it at this moment. */
async function makeRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select pg_has_role(session_user, oid, 'member') as may from pg_roles where rolname = '${API_ROLE}'`,
  );
  try {
    if (rows[0] === undefined) {
      await client.query(`
        do $$ begin
          create role ${API_ROLE} nologin nosuperuser nobypassrls;
        exception when duplicate_object or unique_violation then null;
        end $$`);
    }
    // Whoever makes a role may give it away, but does not wear it by itself.
    if (rows[0]?.may !== true) await client.query(`grant ${API_ROLE} to session_user`);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new Error(
      `this user may not make the role ${API_ROLE}. Let an administrator run: create role ${API_ROLE} nologin; grant ${API_ROLE} to <this user>`,
      { cause: error },
    );
  }
}
