import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from '@tributary/domain';
import type { VisibleRows } from '@tributary/storage';

/**
 * Whose rows a request may see. `undecided` until the key was looked up; `key` while it is; `caller` from then on. `person`: a route that is
 * open to people without a key (a consent) and finds its tenant through a secret of its own.
 */
export type Access =
  | { readonly is: 'undecided' }
  | { readonly is: 'key'; readonly hash: Buffer }
  | { readonly is: 'caller'; readonly scope: Scope }
  | { readonly is: 'person' };

/** One for each request; what is decided in a guard holds for all that the request does afterwards. */
export interface RequestAccess {
  access: Access;
}

const current = new AsyncLocalStorage<RequestAccess>();

/** Runs `work`, and all that it begins, as part of the request that `held` belongs to. */
export function withAccess<T>(held: RequestAccess, work: () => T): T {
  return current.run(held, work);
}

/** @throws when nobody's request is being worked: a statement without a caller is a fault of ours, and no reason to show an empty list. */
export function accessNow(): Access {
  const held = current.getStore();
  if (held === undefined) throw new Error('a statement was sent outside of any request, so nobody can say whose rows it may see');
  return held.access;
}

export function decideAccess(access: Access): void {
  const held = current.getStore();
  if (held === undefined) throw new Error('there is no request whose access could be decided');
  held.access = access;
}

/** For the database: undefined shows no row at all. */
export function visibleRows(): VisibleRows | undefined {
  const access = current.getStore()?.access;
  switch (access?.is) {
    case 'key':
      return { presentedKey: access.hash };
    case 'caller':
      return access.scope;
    default:
      return undefined;
  }
}

/** A function that does its work as part of the present request, whoever calls it: sockets ask streams for more in nobody's name. */
export function inThisRequest<A extends unknown[], R>(work: (...args: A) => R): (...args: A) => R {
  const within = AsyncLocalStorage.snapshot();
  return (...args) => within(work, ...args);
}
