import type { Clock } from '@tributary/service-shell';
import { Announcer } from '../announcer.js';
import { standInOf } from '../stand-in.js';
import { WebhookSender } from '../webhook-sender.js';
import { controlRoutes, targetsOf } from './control-routes.js';
import { types } from './documents.js';
import { answerRefusal } from './google-refusal.js';
import { GoogleWorld } from './google-world.js';
import { oauthRoutes } from './oauth-routes.js';
import { readRoutes } from './read-routes.js';
import { subscriberRoutes } from './subscriber-routes.js';
import { type WebhookFacts, signedPost, webhookBody } from './webhook-message.js';

/** For a week; the single waits are not published. */
const RETRY_WAITS_S = [10, 60, 300, 1_800, 7_200, 21_600, 86_400, 172_800, 259_200] as const;

/** A Google Health of our own. Facts: its REST reference of 2026, and public receivers. */
export function openGoogle(clock: Clock) {
  const world = new GoogleWorld(clock);
  const sender = new WebhookSender<WebhookFacts>({
    now: world.now,
    faults: world.faults,
    ledger: world.ledger,
    retryWaitsS: RETRY_WAITS_S,
    // 200 comes again, which was seen at the real one.
    received: (status) => status === 204,
    isWanted: ({ id }) => targetsOf(world).some((target) => target.id === id),
  });
  const announcer = new Announcer<WebhookFacts>({
    world,
    sender,
    interested: ({ subjectId, dataType }) => {
      const scope = types[dataType]?.scope ?? '';
      const may = world.grants.all().filter((grant) => grant.alive && grant.subjectId === subjectId && grant.scopes.includes(scope));
      return targetsOf(world).filter(({ clientId }) => may.some((grant) => grant.clientId === clientId));
    },
    stamp: (facts, { clientId }) => signedPost(webhookBody(facts), world.apps.get(clientId)?.subscriber?.secret ?? '', world.key),
  });
  return standInOf({
    world,
    sender,
    announcer,
    answerRefusal,
    notFound: { error: { code: 404, message: 'Not found.', status: 'NOT_FOUND' } },
    provider: (scope) => {
      subscriberRoutes(scope, world);
      oauthRoutes(scope, world);
      readRoutes(scope, world);
    },
    control: (scope) => controlRoutes(scope, { world, sender, announcer }),
  });
}
