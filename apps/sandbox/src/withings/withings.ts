import type { Clock } from '@tributary/service-shell';
import { Announcer } from '../announcer.js';
import { standInOf } from '../stand-in.js';
import { WebhookSender } from '../webhook-sender.js';
import { controlRoutes } from './control-routes.js';
import { notifyRoutes } from './notify-routes.js';
import { oauthRoutes } from './oauth-routes.js';
import { readRoutes } from './read-routes.js';
import { type WebhookFacts, webhookPost } from './webhook-message.js';
import { answerRefusal } from './withings-refusal.js';
import { WithingsWorld } from './withings-world.js';

/** Ten tries in five cycles of two: at once, after 10 s, about 6 min, 70 min and 4 h 15 min. */
const RETRY_WAITS_S = [1, 10, 1, 360, 1, 4_200, 1, 15_300, 1] as const;

/** A Withings of our own. Facts: developer.withings.com and public receivers (providers.md §8). */
export function openWithings(clock: Clock) {
  const world = new WithingsWorld(clock);
  const sender = new WebhookSender<WebhookFacts>({
    now: world.now,
    faults: world.faults,
    ledger: world.ledger,
    retryWaitsS: RETRY_WAITS_S,
    received: (status) => status < 400,
    isWanted: ({ id }) => world.subscriptions().some((one) => one.id === id),
  });
  const announcer = new Announcer<WebhookFacts>({
    world,
    sender,
    interested: ({ subjectId, dataType }) => {
      const alive = new Set(
        world.grants
          .all()
          .filter((grant) => grant.alive && grant.subjectId === subjectId)
          .map((grant) => grant.clientId),
      );
      return world.subscriptions().filter((one) => one.subjectId === subjectId && one.appli === dataType && alive.has(one.clientId));
    },
    stamp: (facts) => webhookPost(facts),
  });
  return standInOf({
    world,
    sender,
    announcer,
    answerRefusal,
    notFound: { status: 2554, body: {}, error: 'Wrong action or wrong webservice' },
    provider: (scope) => {
      oauthRoutes(scope, world);
      readRoutes(scope, world);
      notifyRoutes(scope, world);
    },
    control: (scope) => controlRoutes(scope, { world, sender, announcer }),
  });
}
