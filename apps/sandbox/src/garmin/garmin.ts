import type { Clock } from '@tributary/service-shell';
import { Announcer } from '../announcer.js';
import { standInOf } from '../stand-in.js';
import { WebhookSender } from '../webhook-sender.js';
import { backfillRoutes } from './backfill-routes.js';
import { controlRoutes, keyOf, targetsOf } from './control-routes.js';
import { answerRefusal } from './garmin-refusal.js';
import { GarminWorld, permissionOf } from './garmin-world.js';
import { garminRoutes, readManners } from './routes.js';
import { type WebhookFacts, namedPost, webhookBody } from './webhook-message.js';

/** For a week; the single waits are not published. */
const RETRY_WAITS_S = [10, 60, 300, 1_800, 7_200, 21_600, 86_400, 172_800, 259_200] as const;

/** A Garmin of our own. Its specification is for partners only: shapes and answers are those of public integrations. */
export function openGarmin(clock: Clock) {
  const world = new GarminWorld(clock);
  const sender = new WebhookSender<WebhookFacts>({
    now: world.now,
    faults: world.faults,
    ledger: world.ledger,
    retryWaitsS: RETRY_WAITS_S,
    received: (status) => status === 200,
    isWanted: ({ id }) => targetsOf(world).some((target) => target.id === id),
  });
  const announcer = new Announcer<WebhookFacts>({
    world,
    sender,
    interested: ({ subjectId, dataType }) => {
      const permission = permissionOf[dataType];
      const may = world.grants
        .all()
        .filter((grant) => grant.alive && grant.subjectId === subjectId && permission !== undefined && grant.scopes.includes(permission));
      return targetsOf(world).filter(({ clientId }) => may.some((grant) => grant.clientId === clientId));
    },
    stamp: (facts, { clientId }) => {
      const pushes = world.apps.get(clientId)?.sends === 'push';
      return namedPost(webhookBody(pushes ? facts : { ...facts, pushed: undefined }, keyOf(world, facts)), clientId);
    },
  });
  const deregistered = (subjectId: string, clientId: string): void => {
    const facts = { subjectId, dataType: 'deregistrations', atS: Math.floor(world.now() / 1000), pushed: undefined };
    for (const subscription of targetsOf(world).filter((target) => target.clientId === clientId)) {
      void sender.send({ subscription, facts, retries: true, stamp: () => namedPost(webhookBody(facts, ''), clientId) });
    }
  };
  return standInOf({
    world,
    sender,
    announcer,
    answerRefusal,
    notFound: { errorMessage: 'Not found' },
    provider: (scope) => {
      garminRoutes(scope, world, deregistered);
      const tell = (facts: WebhookFacts): void => void announcer.announce(facts, { copies: 1, concurrent: false });
      backfillRoutes(scope, { world, manners: readManners, tell });
    },
    control: (scope) => controlRoutes(scope, { world, sender, announcer }),
  });
}
