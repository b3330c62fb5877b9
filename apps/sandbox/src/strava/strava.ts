import type { Clock } from '@tributary/service-shell';
import { Announcer } from '../announcer.js';
import { standInOf } from '../stand-in.js';
import { WebhookSender } from '../webhook-sender.js';
import { controlRoutes } from './control-routes.js';
import { oauthRoutes } from './oauth-routes.js';
import { readRoutes } from './read-routes.js';
import { answerRefusal } from './strava-refusal.js';
import { StravaWorld } from './strava-world.js';
import { subscriptionRoutes } from './subscription-routes.js';
import { type WebhookFacts, plainPost, signing, webhookBody } from './webhook-message.js';

/** Three attempts in all (providers.md §4.8); when they come is not published. */
const RETRY_WAITS_S = [60, 600] as const;

/** A Strava of our own. Facts: developers.strava.com and public receivers of 2026. */
export function openStrava(clock: Clock) {
  const world = new StravaWorld(clock);
  const sender = new WebhookSender<WebhookFacts>({
    now: world.now,
    faults: world.faults,
    ledger: world.ledger,
    retryWaitsS: RETRY_WAITS_S,
    received: (status) => status === 200,
    isWanted: ({ id }) => world.subscriptions().some((one) => one.id === id),
  });
  const announcer = new Announcer<WebhookFacts>({
    world,
    sender,
    interested: ({ subjectId }) => {
      const alive = world.grants.all().filter((grant) => grant.alive && grant.subjectId === subjectId);
      return world.subscriptions().filter(({ clientId }) => alive.some((grant) => grant.clientId === clientId));
    },
    stamp: (facts, { clientId }, now) => {
      const app = world.apps.get(clientId);
      const body = webhookBody(facts);
      return app?.signsWebhooks ? signing.sign(body, app.secrets[0] ?? '', now) : plainPost(body);
    },
  });
  return standInOf({
    world,
    sender,
    announcer,
    answerRefusal,
    notFound: { message: 'Not Found', errors: [] },
    provider: (scope) => {
      oauthRoutes(scope, world);
      readRoutes(scope, world);
      subscriptionRoutes(scope, world);
    },
    control: (scope) => controlRoutes(scope, { world, sender, announcer }),
  });
}
