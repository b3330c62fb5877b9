import { Problem, type Scope } from '@tributary/domain';
import { eventData } from '@tributary/handoffs';
import { type Grant, type Provider } from '@tributary/providers';
import { newId } from '@tributary/service-shell';
import {
  type HeldConnection,
  type Sql,
  announceEvent,
  beginUpkeep,
  drawRevisions,
  inTransaction,
  insertAuditEntry,
  liftTombstones,
  loadLiveSecrets,
  lockConnectionOfUser,
  lockUser,
  resumeWindows,
  saveConnection,
  subjectIsErased,
} from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import { readOnConsent } from '../backfills/read-on-consent.js';
import type { IssueTickets } from '../issue-tickets.js';
import { oweRevocation } from './owe-revocation.js';

/** Whose grant it is, and through which app it came. */
export interface Grantee extends Scope {
  readonly userId: string;
  readonly providerAppId: string;
}

export interface ObtainedGrant {
  readonly session: Grantee;
  /** `import`: the customer had it before us. It brings nobody back who was erased, and leaves a grant alone that works. */
  readonly by: 'consent' | 'import';
  readonly provider: Provider;
  readonly grant: Grant;
  readonly subjectId: string;
  readonly requestId: string;
  /** For the audit log; undefined: the person, by their consent. */
  readonly actor?: string;
}

type Refusal = { readonly refused: Problem };
export interface KeptGrant {
  readonly connectionId: string;
  readonly did: 'created' | 'renewed' | 'unchanged';
}
type Kept = KeptGrant & { readonly endpoints: readonly string[]; readonly lanes: readonly number[] };

/**
 * Makes a grant a connection, or the new grant of the one that exists, which keeps its id: row, first windows and event in one
 * transaction. A consent's grant that cannot be kept is owed back to the provider; an imported one is still the customer's own.
 * @throws Problem `subject_mismatch` when the user is connected as somebody else, `not_found` when the user was erased meanwhile, `gone`
 * when the person was erased and has not consented since.
 */
export async function keepGrant(context: ApiContext, tickets: IssueTickets, obtained: ObtainedGrant): Promise<KeptGrant> {
  const done = await inTransaction(context.pool, (client) => keep(context, client, obtained));
  if ('refused' in done) throw done.refused;
  await tickets.deliver(obtained.session, done.endpoints);
  await tickets.fetch(obtained.session, done.lanes);
  return { connectionId: done.connectionId, did: done.did };
}

async function keep(
  context: ApiContext,
  client: Parameters<Parameters<typeof inTransaction>[1]>[0],
  { session, by, provider, grant, subjectId, requestId, actor }: ObtainedGrant,
): Promise<Kept | Refusal> {
  const { tenantId, environment, userId, providerAppId } = session;
  const revision = await drawRevisions(client, session, 1);
  const user = await lockUser(client, session, userId);
  const held = user && (await lockConnectionOfUser(client, session, userId, provider.id));
  const hashes = context.keys.subjectHashes(providerAppId, subjectId);
  const refused =
    by === 'import' && (await subjectIsErased(client, session, providerAppId, hashes))
      ? new Problem('gone', 'This person was erased. Only a consent of their own brings them back: send them a connect session.')
      : refusalOf(user, held, subjectId);
  if (user === undefined || refused !== undefined) {
    if (by === 'consent')
      await oweRevocation(context, client, session, { providerAppId, subjectId, connectionId: undefined, accessToken: grant.accessToken });
    return { refused: refused as Problem };
  }
  if (by === 'import' && held?.status === 'active') return { connectionId: held.id, did: 'unchanged', endpoints: [], lanes: [] };
  const id = held?.id ?? newId('con');
  await liftTombstones(client, session, providerAppId, hashes);
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
  await oweSubscriptions(client, session, provider);
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
    actor: actor ?? 'consent',
    action: 'connection.grant',
    target: id,
    requestId,
  });
  return { connectionId: id, did: held === undefined ? 'created' : 'renewed', endpoints, lanes: [...new Set(lanes)] };
}

function refusalOf(user: object | undefined, held: HeldConnection | undefined, subjectId: string): Problem | undefined {
  if (user === undefined) return new Problem('not_found', 'The user was erased while they consented.');
  if (held === undefined || held.subjectId === subjectId) return undefined;
  return new Problem(
    'subject_mismatch',
    'This user is connected to another account at the provider. Consent with that account, or make another user.',
  );
}

/** What tells us of the person's data, where the app can ask for it; those that are asked for person by person are read's own affair. */
async function oweSubscriptions(sql: Sql, { tenantId, environment, providerAppId }: Grantee, { subscriptions }: Provider): Promise<void> {
  if (subscriptions.per !== 'app') return;
  const held = subscriptions.needs === undefined ? [] : await loadLiveSecrets(sql, { tenantId, environment }, providerAppId);
  if (subscriptions.needs !== undefined && !held.some(({ purpose }) => purpose === subscriptions.needs)) return;
  await beginUpkeep(sql, { tenantId, environment }, providerAppId);
}
