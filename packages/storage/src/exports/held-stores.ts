import { deliveries, purges } from '../erasure/registry.js';

/** One table in which something of a person stands, and which of its rows are theirs. `$1` tenant, `$2` environment, `$3` user. */
export interface HeldStore {
  readonly table: string;
  readonly condition: string;
}

/** Tables whose line in the registry of erasure is no plain deletion. */
const otherwise: Readonly<Record<string, string>> = {
  // Of a delivery that names others too, the rest is theirs.
  webhook_delivery: `(t.delivery_key, t.period) in (
        select mine.delivery_key, mine.period from ${deliveries} mine where t.notices <= mine.notices)`,
  webhook_notice: `tenant_id = $1 and environment = $2
        and connection_id in (select id from connection where tenant_id = $1 and environment = $2 and user_id = $3)`,
};

/** Lines of the registry that change a row of somebody else's and delete none: what they take is no store of the person. */
export const holdsOfOthers: Readonly<Record<string, string>> = {
  webhook_delivery_body: 'the bytes of a delivery that names others too',
};

/**
 * Where an export finds what we hold of a person: the registry of erasure, read as questions. So what can be erased can be exported, and a
 * new table that is forgotten here is one that a test of the registry has refused already.
 */
export const heldStores: readonly HeldStore[] = [
  ...new Map(
    purges
      .filter(({ name }) => !Object.hasOwn(holdsOfOthers, name))
      .flatMap((purge) => {
        const condition = otherwise[purge.table] ?? conditionOf(purge.text);
        return condition === undefined ? [] : [[purge.table, { table: purge.table, condition }] as const];
      }),
  ).values(),
];

/** The condition of `delete from <table> where …`; undefined for what is none. */
export function conditionOf(text: string): string | undefined {
  return /^\s*delete from \w+\s+where\s+([\s\S]+)$/.exec(text)?.[1];
}
