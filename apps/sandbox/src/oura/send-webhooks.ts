import type { AnnouncerParts } from '../announcer.js';
import { ControlRefusal } from '../control-refusal.js';
import { forgedPost } from '../forged-post.js';
import type { OrderManners } from '../ordered-sends.js';
import type { WebhooksOrder } from './control-shapes.js';
import { collections } from './documents.js';
import type { OuraWorld } from './oura-world.js';
import { type WebhookFacts, signedPost, signing, webhookBody } from './webhook-message.js';

/** What a test orders goes to whoever is subscribed. */
export function orderManners(world: OuraWorld): OrderManners<WebhookFacts, WebhooksOrder> {
  return {
    targets: ({ eventType, collection }) => {
      const matching = world.subscriptions.matching(eventType, collection);
      if (matching.length === 0) throw new ControlRefusal(409, 'no_subscription', `No app is subscribed to ${eventType} of ${collection}.`);
      return matching;
    },
    facts: ({ subjectId, collection, objectId, eventType, eventTime }, first) => ({
      eventType,
      dataType: collection,
      objectId,
      eventTime: (first ? eventTime : undefined) ?? world.nextEventTime(),
      subjectId,
    }),
    isAbout: (facts, { subjectId, collection, objectId }) =>
      facts.subjectId === subjectId && facts.dataType === collection && facts.objectId === objectId,
    stamp: (facts, forge, keys, now) =>
      forge === undefined ? signedPost(webhookBody(facts), keys.secret, now) : forgedPost(forge, webhookBody(facts), signing, keys, now),
  };
}

/** What changes is told to those that are subscribed and that the person lets read it. */
export function announcerManners(world: OuraWorld): Pick<AnnouncerParts<WebhookFacts>, 'interested' | 'stamp'> {
  return {
    interested: ({ subjectId, eventType, dataType }) => {
      const scope = Object.entries(collections).find(([name]) => name === dataType)?.[1].scope;
      const clients = new Set(
        world.grants
          .all()
          .filter((g) => g.alive && g.subjectId === subjectId && (scope === undefined || g.scopes.includes(scope)))
          .map((g) => g.clientId),
      );
      return world.subscriptions.matching(eventType, dataType).filter((s) => clients.has(s.clientId));
    },
    stamp: (facts, { clientId }, now) => signedPost(webhookBody(facts), world.apps.get(clientId)?.secrets[0] ?? '', now),
  };
}
