import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type Sql, findReturnUrls, insertConnectLink } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { LINK_LIFETIME_S, linkPath } from '../connect-pages/connect-link.js';

export interface LinkWish {
  readonly userId: string;
  readonly providers: readonly string[] | undefined;
  readonly returnUrl: string | undefined;
  readonly language: string;
}

export interface MadeLink {
  readonly id: string;
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * A link to the hosted page.
 * @throws Problem `validation_failed` for a return address that is not one of the environment's, `not_found` when the user is not there.
 */
export async function makeConnectLink(context: ApiContext, sql: Sql, caller: Caller, wish: LinkWish): Promise<MadeLink> {
  const { tenantId, environment } = caller;
  if (wish.returnUrl !== undefined && !(await findReturnUrls(sql, caller)).includes(wish.returnUrl)) {
    throw new Problem(
      'validation_failed',
      'People of this environment are not sent to that address. Allow it at PUT /v1/connect-settings.',
      [{ path: 'returnUrl', message: 'is not, to the letter, one of the returnUrls of the environment' }],
    );
  }
  const id = newId('ses');
  const expiresAt = await insertConnectLink(sql, { tenantId, environment, id, ...wish, lifetimeS: LINK_LIFETIME_S });
  if (expiresAt === undefined)
    throw new Problem('not_found', 'There is no user of that id.', [{ path: 'userId', message: 'names no user' }]);
  return { id, url: `${context.publicApiUrl}${linkPath(context.keys, { tenantId, environment, id })}`, expiresAt };
}
