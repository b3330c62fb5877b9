import { randomBytes } from 'node:crypto';
import { ControlRefusal } from '../control-refusal.js';
import { type Delivery, type Outgoing, type WebhookSender, runAll } from '../webhook-sender.js';
import type { WebhooksOrder } from './control-shapes.js';
import type { OuraWorld } from './oura-world.js';
import type { Subscription } from './subscription-book.js';
import { type WebhookFacts, forgedPost, signedPost, webhookBody } from './webhook-message.js';

/**
 * Sends what a test ordered, exactly: no fault applies, no consent is asked, and the person need not exist.
 * @throws ControlRefusal when no app subscribed to it, or there is nothing to repeat.
 */
export function orderedSends(world: OuraWorld, sender: WebhookSender<WebhookFacts>, order: WebhooksOrder): () => Promise<Delivery[]> {
  const targets = targetsOf(world, order);
  const tasks = order.repeat === 'same-bytes' ? repeats(sender, order, targets) : fresh(world, order, targets);
  return async () => {
    await world.pause(order.delayMs);
    return runAll(
      tasks.map((outgoing) => () => sender.send(outgoing)),
      order.concurrent,
    );
  };
}

function targetsOf(world: OuraWorld, { subjectId, collection, eventType, clientId }: WebhooksOrder): readonly Subscription[] {
  const matching = world.subscriptions.matching(eventType, collection).filter((s) => clientId === undefined || s.clientId === clientId);
  if (matching.length === 0) throw new ControlRefusal(409, 'no_subscription', `No app is subscribed to ${eventType} of ${collection}.`);
  const known = new Set(
    world.grants
      .all()
      .filter((g) => g.subjectId === subjectId)
      .map((g) => g.clientId),
  );
  const ever = matching.filter((s) => known.has(s.clientId));
  return ever.length > 0 ? ever : matching;
}

function fresh(world: OuraWorld, order: WebhooksOrder, targets: readonly Subscription[]): Outgoing<WebhookFacts>[] {
  const { subjectId, collection, objectId, eventType, forge } = order;
  const first = order.eventTime ?? world.nextEventTime();
  return Array.from({ length: order.copies }, (_, i) => {
    const eventTime = order.distinct && i > 0 ? world.nextEventTime() : first;
    const facts: WebhookFacts = { eventType, dataType: collection, objectId, eventTime, subjectId };
    const body = webhookBody(facts);
    return targets.map((subscription): Outgoing<WebhookFacts> => {
      const secret = order.secret ?? world.apps.get(subscription.clientId)?.secrets[0] ?? '';
      return {
        subscription,
        facts,
        retries: order.retry && forge === undefined,
        stamp: (now) =>
          forge === undefined
            ? signedPost(body, secret, now)
            : forgedPost(forge, body, { secret, otherSecret: randomBytes(16).toString('hex') }, now),
      };
    });
  }).flat();
}

function repeats(
  sender: WebhookSender<WebhookFacts>,
  { subjectId, collection, objectId, copies }: WebhooksOrder,
  targets: readonly Subscription[],
): Outgoing<WebhookFacts>[] {
  const repeated = targets.flatMap((subscription) => {
    const last = sender
      .sent()
      .findLast(
        ({ clientId, facts }) =>
          clientId === subscription.clientId &&
          facts.subjectId === subjectId &&
          facts.dataType === collection &&
          facts.objectId === objectId,
      );
    return last === undefined ? [] : [{ subscription, facts: last.facts, retries: false, stamp: () => last.post }];
  });
  if (repeated.length === 0)
    throw new ControlRefusal(404, 'nothing_to_repeat', 'No webhook was sent for this subject, collection and object.');
  return Array.from({ length: copies }, () => repeated).flat();
}
