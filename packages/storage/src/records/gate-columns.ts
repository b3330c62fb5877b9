import type { Doubt, HeldState } from '@tributary/domain';
import type { PgArrayType } from '../pg-array.js';

/** One column of what the gate knows of a row: how it is sent, and what it becomes. */
interface GateColumn {
  readonly name: string;
  readonly type: PgArrayType;
  readonly cast: string;
  of(state: HeldState): string | number | boolean | Buffer | undefined;
}

const column = (name: string, type: PgArrayType, of: GateColumn['of'], cast = ''): GateColumn => ({ name, type, cast, of });

/** All but the content's hash and whether the row is deleted, which come with the content. */
export const gateColumns: readonly GateColumn[] = [
  column('version', 'int8', (s) => s.version),
  column('inferred', 'bool', (s) => s.inferred),
  column('input_hash', 'bytea', (s) => (s.inputHash === undefined ? undefined : Buffer.from(s.inputHash, 'hex'))),
  column('normalizer_version', 'int4', (s) => s.normalizerVersion),
  column('provider_version', 'int8', (s) => s.providerVersion),
  column('clock_domain', 'text', (s) => s.clockDomain),
  column('version_epoch', 'int4', (s) => s.versionEpoch),
  column('epoch_from', 'int8', (s) => s.epochFresh?.from),
  column('epoch_to', 'int8', (s) => s.epochFresh?.to),
  column('coverage_end', 'int8', (s) => s.coverageEnd),
  column('fresh_from', 'int8', (s) => s.fresh.from),
  column('fresh_to', 'int8', (s) => s.fresh.to),
  column('via', 'text', (s) => s.via),
  column('complete', 'bool', (s) => s.complete),
  column('ingested_at', 'int8', (s) => s.ingestedAt),
  column('unsettled', 'bool', (s) => s.unsettled),
  column('doubt', 'text', (s) => s.doubt && JSON.stringify(s.doubt), '::jsonb'),
  column('trail', 'text', ({ trail }) => {
    let text = '';
    for (const { contentHash, at } of trail) text += text === '' ? `${contentHash}@${at}` : ` ${contentHash}@${at}`;
    return text;
  }),
];

/** Deletions of ours: no word of the provider's. */
const withdrawn = `('rekeyed', 'permission_revoked')`;

/** `select` list of what {@link stateOf} takes, of a row called `r`. */
export const gateFields = `encode(r.content_hash, 'hex') as h, encode(r.input_hash, 'hex') as i, r.normalizer_version as n, r.deleted as d,
        r.deleted and r.delete_reason in ${withdrawn} as w, r.version as v, r.inferred as f, r.provider_version as p, r.clock_domain as c,
        r.version_epoch as e, r.epoch_from as ef, r.epoch_to as et, r.coverage_end as ce, r.fresh_from as ff, r.fresh_to as ft, r.via as y,
        r.complete as m, r.ingested_at as a, r.unsettled as u, r.doubt as o, r.trail as t`;

/** One row of {@link gateFields}; the names are short since they are of every row. */
export interface GateRow {
  readonly h: string;
  readonly i: string | null;
  readonly n: number;
  readonly d: boolean;
  readonly w: boolean | null;
  readonly v: number;
  readonly f: boolean;
  readonly p: number | null;
  readonly c: string | null;
  readonly e: number;
  readonly ef: number | null;
  readonly et: number | null;
  readonly ce: number | null;
  readonly ff: number;
  readonly ft: number;
  readonly y: 'pull' | 'push';
  readonly m: boolean;
  readonly a: number;
  readonly u: boolean;
  readonly o: Doubt | null;
  readonly t: string;
}

export function stateOf(row: GateRow): HeldState {
  return {
    contentHash: row.h,
    inputHash: row.i ?? undefined,
    normalizerVersion: row.n,
    deleted: row.d,
    withdrawn: row.w === true,
    version: row.v,
    inferred: row.f,
    providerVersion: row.p ?? undefined,
    clockDomain: row.c ?? undefined,
    versionEpoch: row.e,
    epochFresh: row.ef === null || row.et === null ? undefined : { from: row.ef, to: row.et },
    coverageEnd: row.ce ?? undefined,
    fresh: { from: row.ff, to: row.ft },
    via: row.y,
    complete: row.m,
    ingestedAt: row.a,
    unsettled: row.u,
    // What was nothing has no hash, and JSON no word for that.
    doubt: row.o === null ? undefined : { ...row.o, contentHash: row.o.contentHash },
    trail: row.t === '' ? [] : row.t.split(' ').map(markOf),
  };
}

function markOf(text: string): HeldState['trail'][number] {
  const at = text.indexOf('@');
  return { contentHash: text.slice(0, at), at: Number(text.slice(at + 1)) };
}
