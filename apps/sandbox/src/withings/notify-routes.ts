import type { FastifyInstance } from 'fastify';
import { request as dial } from 'undici';
import { admitted } from '../reads.js';
import { readManners } from './read-routes.js';
import { WithingsRefusal, formOf, statusOf } from './withings-refusal.js';
import type { WithingsWorld } from './withings-world.js';

/** What each category needs. */
const scopeOf: Readonly<Record<string, string>> = {
  1: 'user.metrics',
  2: 'user.metrics',
  4: 'user.metrics',
  16: 'user.activity',
  44: 'user.activity',
  46: 'user.info',
  50: 'user.sleepevents',
  51: 'user.sleepevents',
};

const LONGEST_URL = 255;

/** `/notify`: `subscribe`, `list`, `revoke`, each for one person, by their token. */
export function notifyRoutes(scope: FastifyInstance, world: WithingsWorld): void {
  scope.post('/notify', async (request) => {
    const form = formOf(request.body);
    const appli = form.get('appli');
    const needed = appli === null ? [] : [scopeOf[appli] ?? 'none'];
    const { grant } = admitted(world, request, { kind: 'subscriptionCalls', collection: undefined, scopes: needed }, readManners);
    const { clientId, subjectId } = grant;
    const callbackUrl = form.get('callbackurl') ?? '';
    switch (form.get('action')) {
      case 'list': {
        const own = world.subscriptions().filter((one) => one.clientId === clientId && one.subjectId === subjectId);
        const profiles = own
          .filter((one) => appli === null || one.appli === appli)
          .map((one) => ({ appli: Number(one.appli), callbackurl: one.callbackUrl, expires: 2_147_483_647, comment: null }));
        return { status: 0, body: { profiles } };
      }
      case 'subscribe':
        if (appli === null) throw new WithingsRefusal(statusOf.params, 'Invalid Params: appli');
        await probe(callbackUrl, world.faults.answerTimeoutMs);
        world.subscribe({ clientId, subjectId, appli, callbackUrl });
        return { status: 0, body: {} };
      case 'revoke': {
        const ended = world.unsubscribe(
          (one) => one.clientId === clientId && one.subjectId === subjectId && one.appli === appli && one.callbackUrl === callbackUrl,
        );
        if (ended === 0) throw new WithingsRefusal(statusOf.noSubscription, 'No such subscription could be deleted');
        return { status: 0, body: {} };
      }
      default:
        throw new WithingsRefusal(statusOf.action, 'Wrong action');
    }
  });
}

/** The address must answer a HEAD with 2xx. */
async function probe(callbackUrl: string, timeoutMs: number): Promise<void> {
  const refusal = new WithingsRefusal(statusOf.callback, 'The callback URL is either absent or incorrect');
  if (!URL.canParse(callbackUrl) || callbackUrl.length > LONGEST_URL) throw refusal;
  try {
    const { statusCode, body } = await dial(callbackUrl, { method: 'HEAD', signal: AbortSignal.timeout(timeoutMs) });
    await body.dump();
    if (statusCode < 200 || statusCode > 299) throw refusal;
  } catch {
    throw refusal;
  }
}
