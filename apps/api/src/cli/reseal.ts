import { KeyRing, databaseUrl, keys, readConfig } from '@tributary/service-shell';
import {
  type Database,
  type OtherwiseSealed,
  type SealedColumn,
  connect,
  findOtherwiseSealed,
  replaceSealed,
  sealedColumns,
} from '@tributary/storage';
import type { Command } from './command.js';
import { readOptions } from './read-options.js';

const usage = `Usage: tributary rotate-keys [--dry-run] [--json]

Seals every stored secret and token anew with the first key of TRIBUTARY_KEYS. Services may run meanwhile, if their ring has that key too.

To rotate: put the new key in front of the ring (new-id:base64,old-id:base64), restart all services with it, run this. The old key
stays in the ring as long as there are people erased under it, since only it knows them again; it seals nothing any more.

  --dry-run   count what another key has sealed, and write nothing
  --json      print one JSON object: key, columns [{column, resealed, unreadable}]

DATABASE_URL names the database, TRIBUTARY_KEYS the ring. Ends with 1 when something could not be opened by any key of the ring.`;

export interface Resealed {
  readonly column: string;
  readonly resealed: number;
  /** Sealed by no key of the ring, or damaged. */
  readonly unreadable: number;
}

/** Works through one column in the order of its keys; can be ended and begun again at any moment. */
export async function resealColumn(pool: Database['pool'], ring: KeyRing, column: SealedColumn, dryRun: boolean): Promise<Resealed> {
  let resealed = 0;
  let unreadable = 0;
  let after: OtherwiseSealed | undefined;
  for (;;) {
    const found = await findOtherwiseSealed(pool, column, ring.sealsWith, after);
    for (const row of found) {
      const plain = open(ring, row, column.context(row.id));
      if (plain === undefined) unreadable += 1;
      else if (dryRun || (await replaceSealed(pool, column, row, ring.seal(plain, column.context(row.id))))) resealed += 1;
    }
    after = found.at(-1);
    if (after === undefined) return { column: `${column.table}.${column.column}`, resealed, unreadable };
  }
}

function open(ring: KeyRing, { sealed }: OtherwiseSealed, context: string): string | undefined {
  try {
    return ring.open(sealed, context);
  } catch {
    return undefined;
  }
}

export const reseal: Command = {
  name: 'rotate-keys',
  summary: 'seal all secrets and tokens anew with the first key of the ring',
  usage,
  async run(args, env) {
    const wish = readOptions(args, { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } }, usage);
    const dryRun = wish['dry-run'] ?? false;
    const { DATABASE_URL, TRIBUTARY_KEYS } = readConfig({ DATABASE_URL: databaseUrl(), TRIBUTARY_KEYS: keys() }, env);
    const ring = new KeyRing(TRIBUTARY_KEYS);
    const database = await connect({ url: DATABASE_URL, poolSize: 1, applicationName: 'tributary-cli' });
    try {
      const columns: Resealed[] = [];
      for (const column of sealedColumns) columns.push(await resealColumn(database.pool, ring, column, dryRun));
      if (wish.json) console.log(JSON.stringify({ key: ring.sealsWith, columns }));
      else {
        const verb = dryRun ? 'would be sealed' : 'sealed';
        for (const one of columns)
          console.log(`${one.column.padEnd(34)} ${one.resealed} ${verb} by ${ring.sealsWith}, ${one.unreadable} unreadable`);
      }
      const unreadable = columns.reduce((sum, one) => sum + one.unreadable, 0);
      if (unreadable > 0) {
        process.stderr.write(
          `${unreadable} values can be opened by no key of TRIBUTARY_KEYS. Add the key that sealed them, and run this again.\n`,
        );
        process.exitCode = 1;
      }
    } finally {
      await database.close();
    }
  },
};
