/**
 * The span of one collection that a notice makes doubtful; the unit of fetching, retrying and dead letters.
 * - `object`: one document by the provider's id, whatever its day.
 * - `days`: civil days, `from` inclusive, `to` exclusive, `YYYY-MM-DD`, in the person's own calendar.
 * - `instants`: `from` inclusive, `to` exclusive, RFC 3339 UTC.
 * - `whole`: everything of the collection; for notices that name no span, and for the grant itself.
 */
export type Window =
  | { readonly kind: 'object'; readonly id: string }
  | { readonly kind: 'days'; readonly from: string; readonly to: string }
  | { readonly kind: 'instants'; readonly from: string; readonly to: string }
  | { readonly kind: 'whole' };

export type WindowKind = Window['kind'];

/** How a window stands in a row. An object has its id in both columns, so that one key serves every kind. */
export interface WindowColumns {
  readonly windowKind: WindowKind;
  readonly windowStart: string;
  readonly windowEnd: string;
}

export function windowColumns(window: Window): WindowColumns {
  switch (window.kind) {
    case 'object':
      return { windowKind: 'object', windowStart: window.id, windowEnd: window.id };
    case 'whole':
      return { windowKind: 'whole', windowStart: '', windowEnd: '' };
    default:
      return { windowKind: window.kind, windowStart: window.from, windowEnd: window.to };
  }
}

export function windowFromColumns(row: WindowColumns): Window {
  switch (row.windowKind) {
    case 'object':
      return { kind: 'object', id: row.windowStart };
    case 'whole':
      return { kind: 'whole' };
    default:
      return { kind: row.windowKind, from: row.windowStart, to: row.windowEnd };
  }
}
