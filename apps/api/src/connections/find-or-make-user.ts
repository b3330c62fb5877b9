import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type UserRow, findUser, findUserByExternalId, insertUser } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';

export interface WantedUser {
  readonly userId?: string | undefined;
  readonly user?: { readonly externalId: string } | undefined;
}

/** @throws Problem `not_found` for an id that names no user, `validation_failed` when it is not said who. */
export async function findOrMakeUser(context: ApiContext, caller: Caller, { userId, user }: WantedUser): Promise<UserRow> {
  if ((userId === undefined) === (user === undefined)) {
    throw new Problem('validation_failed', 'Say who the person is, in one way; see "faults".', [
      { path: userId === undefined ? 'userId' : 'user', message: 'give either userId or user.externalId' },
    ]);
  }
  if (userId !== undefined) {
    const found = await findUser(context.pool, caller, userId);
    if (found === undefined) throw new Problem('not_found', 'There is no user of that id.', [{ path: 'userId', message: 'names no user' }]);
    return found;
  }
  const externalId = (user as { externalId: string }).externalId;
  // An erasure between the insert that finds the name taken and the search can free it: then once more.
  for (let tries = 0; tries < 3; tries += 1) {
    const existing = await findUserByExternalId(context.pool, caller, externalId);
    if (existing !== undefined) return existing;
    const made = await recordChange(context, caller, 'user.create', async (client) => {
      const { tenantId, environment } = caller;
      const row = await insertUser(client, { tenantId, environment, id: newId('usr'), externalId, fallbackZone: undefined });
      return { target: row?.id, result: row };
    });
    if (made !== undefined) return made;
  }
  throw new Problem('conflict', 'Others make and erase this user at the same moment. Try again.');
}
