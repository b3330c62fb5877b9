import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ControlRefusal } from './control-refusal.js';
import { type Delivery, type Facts, type Outgoing, type SignedPost, type Target, type WebhookSender, runAll } from './webhook-sender.js';
import type { World } from './world.js';

/** How often something goes out. */
export const copiesShape = { copies: z.int().min(1).max(1000).default(1), concurrent: z.boolean().default(false) };

/** What every order of webhooks has, whatever a provider's webhooks are about. */
export const orderShape = {
  /** Need not be anybody's: webhooks about strangers are a case of their own. */
  subjectId: z.string().min(1).max(500),
  /** Which app's webhooks; default: of the apps that this person ever let in, or of all when there is none. */
  clientId: z.string().min(1).max(500).optional(),
  ...copiesShape,
  /** Each copy with a time or a trace of its own: as many real changes. */
  distinct: z.boolean().default(false),
  delayMs: z.int().min(0).max(600_000).default(0),
  /** `false` answers 202 at once, and sends afterwards. */
  wait: z.boolean().default(true),
  /** Signs with this one. */
  secret: z.string().min(1).max(500).optional(),
  /** Posts once more, to the byte, the last webhook that was sent about the same. */
  repeat: z.literal('same-bytes').optional(),
  /** Whether an answer that does not count as received brings it back; forged and repeated ones never come back. */
  retry: z.boolean().default(true),
};

/** An order as it was parsed; `G` are the ways in which a provider's webhooks can be forged. */
export type Order<G extends string> = z.infer<z.ZodObject<typeof orderShape>> & { readonly forge?: G | undefined };

export interface Keys {
  readonly secret: string;
  /** One that the app never had. */
  readonly otherSecret: string;
}

export interface OrderManners<F extends Facts, O extends Order<string>> {
  /** Who is told of such things at all. Throws ControlRefusal. */
  readonly targets: (order: O) => readonly Target[];
  /** @param first whether it is the first copy; the further ones are only asked for when they are to be distinct. */
  readonly facts: (order: O, first: boolean) => F;
  /** Whether what was sent is what a repetition means. */
  readonly isAbout: (facts: F, order: O) => boolean;
  /** What proves the webhooks of an app, where it is not its newest client secret. */
  readonly secretOf?: (clientId: string) => string;
  readonly stamp: (facts: F, forge: O['forge'], keys: Keys, now: number) => SignedPost;
}

/**
 * Sends what a test ordered, exactly: no fault applies, no consent is asked, and the person need not exist.
 * @throws ControlRefusal when there is nobody to send to, or nothing to repeat.
 */
export function orderedSends<F extends Facts, O extends Order<string>>(
  world: Pick<World, 'apps' | 'grants' | 'pause'>,
  sender: WebhookSender<F>,
  order: O,
  manners: OrderManners<F, O>,
): () => Promise<Delivery[]> {
  const targets = targetsOf(world, order, manners.targets(order));
  const tasks = order.repeat === 'same-bytes' ? repeats(sender, order, targets, manners) : fresh(world, order, targets, manners);
  return async () => {
    await world.pause(order.delayMs);
    return runAll(
      tasks.map((outgoing) => () => sender.send(outgoing)),
      order.concurrent,
    );
  };
}

function targetsOf({ grants }: Pick<World, 'grants'>, { subjectId, clientId }: Order<string>, all: readonly Target[]): readonly Target[] {
  const matching = all.filter((target) => clientId === undefined || target.clientId === clientId);
  if (matching.length === 0) throw new ControlRefusal(409, 'no_subscription', 'No app is to be told of this.');
  const known = new Set(
    grants
      .all()
      .filter((grant) => grant.subjectId === subjectId)
      .map((grant) => grant.clientId),
  );
  const ever = matching.filter((target) => known.has(target.clientId));
  return ever.length > 0 ? ever : matching;
}

function fresh<F extends Facts, O extends Order<string>>(
  { apps }: Pick<World, 'apps'>,
  order: O,
  targets: readonly Target[],
  manners: OrderManners<F, O>,
): Outgoing<F>[] {
  const first = manners.facts(order, true);
  return Array.from({ length: order.copies }, (_, i) => {
    const facts = order.distinct && i > 0 ? manners.facts(order, false) : first;
    return targets.map((subscription): Outgoing<F> => {
      const { clientId } = subscription;
      const secret = order.secret ?? manners.secretOf?.(clientId) ?? apps.get(clientId)?.secrets[0] ?? '';
      return {
        subscription,
        facts,
        retries: order.retry && order.forge === undefined,
        stamp: (now) => manners.stamp(facts, order.forge, { secret, otherSecret: randomBytes(16).toString('hex') }, now),
      };
    });
  }).flat();
}

function repeats<F extends Facts, O extends Order<string>>(
  sender: WebhookSender<F>,
  order: O,
  targets: readonly Target[],
  { isAbout }: OrderManners<F, O>,
): Outgoing<F>[] {
  const repeated = targets.flatMap((subscription) => {
    const last = sender.sent().findLast(({ clientId, facts }) => clientId === subscription.clientId && isAbout(facts, order));
    return last === undefined ? [] : [{ subscription, facts: last.facts, retries: false, stamp: () => last.post }];
  });
  if (repeated.length === 0) throw new ControlRefusal(404, 'nothing_to_repeat', 'No webhook was sent about this.');
  return Array.from({ length: order.copies }, () => repeated).flat();
}
