import type { Clock } from '@tributary/service-shell';
import { Announcer } from '../announcer.js';
import { standInOf } from '../stand-in.js';
import { WebhookSender } from '../webhook-sender.js';
import { controlRoutes, targetsOf } from './control-routes.js';
import { oauthRoutes } from './oauth-routes.js';
import { answerRefusal } from './polar-refusal.js';
import { PolarWorld } from './polar-world.js';
import { readRoutes } from './read-routes.js';
import { type WebhookFacts, signedPost, webhookBody } from './webhook-message.js';
import { webhookRoutes } from './webhook-routes.js';

/** Within the seven days after which it switches itself off; the single waits are not published. */
const RETRY_WAITS_S = [60, 300, 900, 3_600, 14_400, 43_200, 86_400, 172_800, 259_200] as const;

/** A Polar of our own. Facts: the provider's OpenAPI description of AccessLink v3. */
export function openPolar(clock: Clock) {
  const world = new PolarWorld(clock);
  const sender = new WebhookSender<WebhookFacts>({
    now: world.now,
    faults: world.faults,
    ledger: world.ledger,
    retryWaitsS: RETRY_WAITS_S,
    received: (status) => status === 200,
    isWanted: ({ id }) => [...world.webhooks.values()].some((webhook) => webhook.id === id && webhook.active),
  });
  const announcer = new Announcer<WebhookFacts>({
    world,
    sender,
    interested: ({ subjectId, dataType }) => targetsOf(world, dataType).filter(({ clientId }) => world.isRegistered(clientId, subjectId)),
    stamp: (facts, { clientId }) => signedPost(webhookBody(facts), world.webhooks.get(clientId)?.key ?? ''),
  });
  return standInOf({
    world,
    sender,
    announcer,
    answerRefusal,
    notFound: { status: 404, error: 'Not Found' },
    provider: (scope) => {
      oauthRoutes(scope, world);
      readRoutes(scope, world);
      webhookRoutes(scope, world);
    },
    control: (scope) => controlRoutes(scope, { world, sender, announcer }),
  });
}
