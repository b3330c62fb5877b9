import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@tributary/service-shell';
import type { CallKind, CallLedger } from './call-ledger.js';
import type { FaultBox, PassedLimit } from './faults.js';
import type { Grant, GrantBook } from './grant-book.js';

export interface Read {
  readonly kind: CallKind;
  readonly collection: string | undefined;
  /** Any one of these is enough; none are needed when it is empty. */
  readonly scopes: readonly string[];
}

/** How a provider says no to a read. */
export interface ReadManners {
  readonly unauthorised: () => Error;
  readonly limited: (limit: PassedLimit) => Error;
  readonly forbidden: () => Error;
  /** Of a status that the control API ordered. */
  readonly faulty: (status: number) => Error;
}

interface ReadWorld<P> {
  readonly now: Clock;
  readonly people: ReadonlyMap<string, P>;
  readonly grants: GrantBook;
  readonly faults: FaultBox;
  readonly ledger: CallLedger;
  readonly pause: (ms: number) => Promise<void>;
}

/** Who reads, once token, limit and scope allow it. */
export function admitted<P>(
  world: ReadWorld<P>,
  { headers }: FastifyRequest,
  { kind, collection, scopes }: Read,
  manners: ReadManners,
): { grant: Grant; person: P } {
  const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(headers.authorization ?? '')?.[1];
  const found = token === undefined ? undefined : world.grants.bearer(token);
  const person = found && world.people.get(found.grant.subjectId);
  const refused = (error: Error): Error => {
    world.ledger.note('readsRefused', found?.grant.subjectId, collection);
    return error;
  };
  if (found === undefined || !found.live || person === undefined) throw refused(manners.unauthorised());
  const { grant } = found;
  const limit = world.faults.passedLimit({ app: grant.clientId, token: grant.id }, world.now());
  if (limit !== undefined) throw refused(manners.limited(limit));
  if (scopes.length > 0 && !scopes.some((name) => grant.scopes.includes(name))) throw refused(manners.forbidden());
  world.ledger.note(kind, grant.subjectId, collection);
  return { grant, person };
}

/** Answers after the ordered delay and with the ordered fault. The content is fixed before, as a slow server's would be. */
export async function answered(
  { faults, pause }: Pick<ReadWorld<unknown>, 'faults' | 'pause'>,
  reply: FastifyReply,
  content: unknown,
  { faulty }: Pick<ReadManners, 'faulty'>,
): Promise<unknown> {
  const text = content instanceof Error ? undefined : JSON.stringify(content);
  const fault = faults.takeFailingRead();
  await pause(faults.readDelayMs);
  if (fault === 'reset') {
    reply.hijack();
    reply.raw.destroy();
    return undefined;
  }
  if (typeof fault === 'number') throw faulty(fault);
  if (text === undefined) throw content;
  return reply.type('application/json').send(fault === 'garbled' ? text.slice(0, Math.ceil(text.length / 2)) : text);
}
