import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Announcer } from './announcer.js';
import { answerControlRefusal } from './control-refusal.js';
import type { FactTable } from './front-page.js';
import { parseBodies } from './parse-bodies.js';
import type { Facts, WebhookSender } from './webhook-sender.js';
import type { World } from './world.js';

interface StandInParts<F extends Facts> {
  readonly world: Pick<World, 'people' | 'grants' | 'close'>;
  readonly sender: WebhookSender<F>;
  readonly announcer: Announcer<F>;
  readonly answerRefusal: (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Body of the 404 for an address that the provider does not have. */
  readonly notFound: object;
  /** Registers the provider's own routes. */
  readonly provider: (scope: FastifyInstance) => void;
  readonly control: (scope: FastifyInstance) => void;
}

const LAST_WEBHOOKS = 20;

/** One provider of ours: its public face and its strings. */
export function standInOf<F extends Facts>({ world, sender, announcer, ...parts }: StandInParts<F>) {
  return {
    provider: async (scope: FastifyInstance): Promise<void> => {
      parseBodies(scope);
      scope.setErrorHandler(parts.answerRefusal);
      scope.setNotFoundHandler((_request, reply) => reply.code(404).send(parts.notFound));
      parts.provider(scope);
    },
    control: async (scope: FastifyInstance): Promise<void> => {
      parseBodies(scope);
      scope.setErrorHandler(answerControlRefusal);
      scope.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found', message: 'There is no such control.' }));
      parts.control(scope);
    },
    facts: () => factsOf(world, sender),
    close: async (): Promise<void> => {
      announcer.clear();
      world.close();
      await sender.close();
    },
  };
}

function factsOf<F extends Facts>({ people, grants }: Pick<World, 'people' | 'grants'>, sender: WebhookSender<F>): FactTable[] {
  const name = (subjectId: string): string => people.get(subjectId)?.name ?? 'a stranger';
  const held = (documents: Readonly<Record<string, Map<string, unknown>>>) =>
    Object.entries(documents)
      .map(([of, all]) => `${of}: ${all.size}`)
      .join(', ');
  return [
    {
      title: 'People',
      headings: ['Name', 'Subject', 'Documents'],
      rows: [...people.values()].map((person) => [person.name, person.subjectId, held(person.documents)]),
    },
    {
      title: 'Grants',
      headings: ['App', 'Person', 'Scopes', 'State'],
      rows: grants.all().map((g) => [g.clientId, name(g.subjectId), g.scopes.join(' '), g.alive ? 'alive' : 'ended']),
    },
    {
      title: 'Last webhooks',
      headings: ['Sent', 'App', 'About', 'Person', 'Answer', 'Try'],
      rows: sender
        .sent()
        .slice(-LAST_WEBHOOKS)
        .reverse()
        .map((s) => [
          new Date(s.at).toISOString(),
          s.clientId,
          s.facts.dataType,
          name(s.facts.subjectId),
          s.status === 0 ? 'none' : `${s.status} in ${s.ms} ms`,
          String(s.retry + 1),
        ]),
    },
  ];
}
