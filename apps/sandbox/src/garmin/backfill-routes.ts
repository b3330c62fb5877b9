import type { FastifyInstance } from 'fastify';
import { type ReadManners, admitted, answered } from '../reads.js';
import { refused } from './garmin-refusal.js';
import { type GarminWorld, permissionOf } from './garmin-world.js';
import type { WebhookFacts } from './webhook-message.js';

const DAY_S = 86_400;
/** The longest span of one request. */
const longestDays = { ACTIVITY_EXPORT: 30, HEALTH_EXPORT: 90, HISTORICAL_DATA_EXPORT: 0 } as const;

/** Types that are called otherwise in these addresses. */
const typeOf: Readonly<Record<string, string>> = { respiration: 'allDayRespiration', pulseOx: 'pulseox' };

interface BackfillParts {
  readonly world: GarminWorld;
  readonly manners: ReadManners;
  /** Tells the apps of a summary that was uploaded again. */
  tell(facts: WebhookFacts): void;
}

/** `/wellness-api/rest/backfill/…`: the past, which comes as webhooks; a span that was asked for before is refused, and nothing comes of it. */
export function backfillRoutes(scope: FastifyInstance, { world, manners, tell }: BackfillParts): void {
  scope.get<{ Params: { type: string } }>('/wellness-api/rest/backfill/:type', async (request, reply) => {
    const type = typeOf[request.params.type] ?? request.params.type;
    const permission = permissionOf[type];
    if (permission === undefined) throw refused(404, 'Not found');
    const read = { kind: 'listReads', collection: `backfill/${type}`, scopes: ['HISTORICAL_DATA_EXPORT'] } as const;
    const { person, grant } = admitted(world, request, read, manners);
    const query = new URL(request.url, 'http://sandbox').searchParams;
    const [fromS, toS] = ['summaryStartTimeInSeconds', 'summaryEndTimeInSeconds'].map((name) => Number(query.get(name) ?? Number.NaN));
    if (fromS === undefined || toS === undefined || !(toS > fromS) || toS - fromS > longestDays[permission] * DAY_S) {
      throw refused(400, `The times of the summaries do not span up to ${longestDays[permission]} days`);
    }
    const span = { subjectId: person.subjectId, type, fromS, toS };
    if (!world.askHistory({ ...span, clientId: grant.clientId })) throw refused(409, 'Duplicate request');
    const atS = Math.floor(world.now() / 1000);
    const summaries = world.summariesOf(span);
    for (const summary of summaries) world.upload({ subjectId: person.subjectId, type, atS, summary });
    const told = world.apps.get(grant.clientId)?.sends === 'push' ? summaries : summaries.slice(0, 1);
    for (const summary of told) tell({ subjectId: person.subjectId, dataType: type, atS, pushed: summary });
    return answered(world, reply.code(202), {}, manners);
  });
}
