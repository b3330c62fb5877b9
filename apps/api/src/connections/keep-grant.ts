import { Problem } from '@tributary/domain';
import { eventData } from '@tributary/handoffs';
import { type Grant, type Provider } from '@tributary/providers';
import { newId } from '@tributary/service-shell';
import {
  type TakenConnectSession,
  announceEvent,
  drawRevisions,
  inTransaction,
  insertAuditEntry,
  liftTombstones,
  lockConnectionOfUser,
  lockUser,
  resumeWindows,
  saveConnection,
} from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import { readOnConsent } from '../backfills/read-on-consent.js';
import type { IssueTickets } from '../issue-tickets.js';
import { oweRevocation } from './owe-revocation.js';

export interface ObtainedGrant {
  readonly session: TakenConnectSession;
  readonly provider: Provider;
  readonly grant: Grant;
  readonly subjectId: string;
  readonly requestId: string;
}

type Refusal = { readonly refused: Problem };
type Kept = { readonly connectionId: string; readonly endpoints: string[]; readonly lanes: number[] };

/**
 * Makes a grant a connection, or the new grant of the one that exists, which keeps its id: row, first windows and event in one
 * transaction. A grant that cannot be kept is owed back to the provider.
 * @throws Problem `subject_mismatch` when the user is connected as somebody else, `not_found` when the user was erased meanwhile.
 */
export async function keepGrant(context: ApiContext, tickets: IssueTickets, obtained: ObtainedGrant): Promise<string> {
  const done = await inTransaction(context.pool, (client) => keep(context, client, obtained));
  if ('refused' in done) throw done.refused;
  await tickets.deliver(obtained.session, done.endpoints);
  await tickets.fetch(obtained.session, done.lanes);
  return done.connectionId;
}

async function keep(
  context: ApiContext,
  client: Parameters<Parameters<typeof inTransaction>[1]>[0],
  { session, provider, grant, subjectId, requestId }: ObtainedGrant,
): Promise<Kept | Refusal> {
  const { tenantId, environment, userId, providerAppId } = session;
  const revision = await drawRevisions(client, session, 1);
  const user = await lockUser(client, session, userId);
  const held = user && (await lockConnectionOfUser(client, session, userId, provider.id));
  const refused =
    user === undefined
      ? new Problem('not_found', 'The user was erased while they consented.')
      : held && held.subjectId !== subjectId
        ? new Problem(
            'subject_mismatch',
            'This user is connected to another account at the provider. Consent with that account, or make another user.',
          )
        : undefined;
  if (user === undefined || refused !== undefined) {
    await oweRevocation(context, client, session, { providerAppId, subjectId, connectionId: undefined, accessToken: grant.accessToken });
    return { refused: refused as Problem };
  }
  const id = held?.id ?? newId('con');
  await liftTombstones(client, session, providerAppId, context.keys.subjectHashes(providerAppId, subjectId));
  await saveConnection(client, {
    tenantId,
    environment,
    id,
    userId,
    provider: provider.id,
    providerAppId,
    subjectId,
    scopes: grant.scopes,
    accessToken: context.keys.seal(grant.accessToken, `connection:${id}:access`),
    refreshToken: grant.refreshToken === undefined ? undefined : context.keys.seal(grant.refreshToken, `connection:${id}:refresh`),
    tokenExpiresAt: new Date(grant.expiresAt),
  });
  const consent = { tenantId, environment, connectionId: id, userId, provider, scopes: grant.scopes, held, now: context.now() };
  const lanes = [...(await resumeWindows(client, session, id)), ...(await readOnConsent(client, consent))];
  const endpoints = await announceEvent(client, {
    tenantId,
    environment,
    id: newId('evt'),
    type: 'connection.created',
    revision,
    userId,
    provider: provider.id,
    data: eventData('connection.created', {
      user: { id: userId, externalId: user.externalId },
      connectionId: id,
      provider: provider.id,
      scopes: [...grant.scopes],
      revision,
    }),
  });
  await insertAuditEntry(client, {
    tenantId,
    environment,
    id: newId('aud'),
    actor: 'consent',
    action: 'connection.grant',
    target: id,
    requestId,
  });
  return { connectionId: id, endpoints, lanes: [...new Set(lanes)] };
}
