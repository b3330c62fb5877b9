import { resolveViews } from '../src/resolve-views.js';
import type { Person, Workbench } from './workbench.js';

/** All that is behind. @returns how many rows show something else now. */
export async function resolveAll(bench: Workbench, person: Person): Promise<number> {
  let changed = 0;
  for (let part = { more: true }; part.more; ) {
    const one = await resolveViews(bench.context, person.scope);
    changed += one.changed.length;
    part = one;
  }
  return changed;
}

export interface ViewRow {
  readonly kind: string;
  readonly metric: string;
  readonly local_date: string;
  readonly item: string;
  readonly picked: string | null;
  readonly revision: number;
  readonly change: string;
  readonly deleted: boolean;
  readonly resolution: {
    readonly rule: string;
    readonly candidates: readonly {
      readonly provider: string;
      readonly skipped: string | null;
      readonly echoOf: { readonly provider: string } | null;
    }[];
    readonly challenger: { readonly provider: string } | null;
    readonly spans?: readonly { readonly from: string; readonly to: string; readonly picked: { readonly provider: string } }[];
  };
}

export async function viewOf(bench: Workbench, person: Person, metric?: string): Promise<ViewRow[]> {
  const rows = (await bench.rows(
    `select kind, metric, local_date, item, picked_provider || '/' || picked_source_id as picked, revision, change, deleted, resolution
     from resolved_record where tenant_id = $1 order by kind, metric, local_date, item`,
    person,
  )) as unknown as ViewRow[];
  return metric === undefined ? rows : rows.filter((row) => row.metric === metric);
}
