import type { Clock } from '@tributary/service-shell';
import { Announcer } from '../announcer.js';
import { standInOf } from '../stand-in.js';
import { WebhookSender } from '../webhook-sender.js';
import { controlRoutes, targetsOf } from './control-routes.js';
import { scopeOf } from './documents.js';
import { oauthRoutes } from './oauth-routes.js';
import { readRoutes } from './read-routes.js';
import { type WebhookFacts, signedPost, webhookBody } from './webhook-message.js';
import { answerRefusal } from './whoop-refusal.js';
import { WhoopWorld } from './whoop-world.js';

/** Five retries in about an hour (providers.md §6.8); the single waits are not published. */
const RETRY_WAITS_S = [60, 240, 600, 1_200, 1_500] as const;

/** A WHOOP of our own. Facts: the provider's OpenAPI description of 2026. */
export function openWhoop(clock: Clock) {
  const world = new WhoopWorld(clock);
  const sender = new WebhookSender<WebhookFacts>({
    now: world.now,
    faults: world.faults,
    ledger: world.ledger,
    retryWaitsS: RETRY_WAITS_S,
    received: (status) => status >= 200 && status < 300,
    isWanted: ({ id }) => targetsOf(world).some((target) => target.id === id),
  });
  const announcer = new Announcer<WebhookFacts>({
    world,
    sender,
    interested: ({ subjectId, dataType }) => {
      const may = world.grants.all().filter((g) => g.alive && g.subjectId === subjectId && g.scopes.includes(scopeOf[dataType]));
      return targetsOf(world).filter(({ clientId }) => may.some((grant) => grant.clientId === clientId));
    },
    stamp: (facts, { clientId }, now) => signedPost(webhookBody(facts), world.apps.get(clientId)?.secrets[0] ?? '', now),
  });
  return standInOf({
    world,
    sender,
    announcer,
    answerRefusal,
    notFound: { message: 'No resource found' },
    provider: (scope) => {
      oauthRoutes(scope, world);
      readRoutes(scope, world);
    },
    control: (scope) => controlRoutes(scope, { world, sender, announcer }),
  });
}
