import type { Notice, NoticeKind } from '@tributary/domain';
import { MalformedDelivery, type ParsedDelivery } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { asId, asText, bodyObject } from '../read-fields.js';
import { contentId } from '../signature/content-id.js';
import { announcedCollections, recoveryName } from './collections.js';

const kinds: ReadonlyMap<string | undefined, NoticeKind> = new Map([
  ['updated', 'changed'],
  ['deleted', 'deleted'],
]);

/** One event a delivery: `type` (`sleep.updated` …), `user_id`, `id`, `trace_id`. It has no time of its own. */
export function whoopNotices(request: RawRequest): ParsedDelivery {
  const event = bodyObject(request);
  const type = asText(event['type'], 'type');
  const [word, verb, ...more] = type.split('.');
  const collection = announcedCollections.find((name) => name === word);
  const kind = kinds.get(verb);
  if (collection === undefined || kind === undefined || more.length > 0) {
    return { deliveryId: { value: contentId(request.body), kind: 'reopenable' }, notices: [] };
  }

  const subjectId = asId(event['user_id'], 'user_id');
  // v1 numbered its records. v2 cannot be asked for those, and the number of a recovery was its cycle's.
  if (typeof event['id'] !== 'string')
    throw new MalformedDelivery('id: expected a UUID; is the v1 model chosen in the settings of the app?');
  const id = asId(event['id'], 'id');
  const notice = (of: string): Notice => ({
    subjectId,
    collection: of,
    kind,
    window: { kind: 'object', id: of === 'recovery' ? recoveryName(id) : id },
    version: undefined,
  });
  return {
    deliveryId: deliveryIdOf([type, subjectId, id], event['trace_id'] ?? undefined),
    // With a sleep goes its recovery, whether or not an event of its own says so.
    notices: collection === 'sleep' && kind === 'deleted' ? [notice('sleep'), notice('recovery')] : [notice(collection)],
  };
}

/** Nowhere does WHOOP say that a trace has one event, and a sleep and its recovery may share one: the whole pointer is part of the id. */
function deliveryIdOf(pointer: readonly string[], traceId: unknown): ParsedDelivery['deliveryId'] {
  const parts = traceId === undefined ? pointer : [...pointer, asId(traceId, 'trace_id')];
  return { value: contentId(Buffer.from(JSON.stringify(parts))), kind: traceId === undefined ? 'reopenable' : 'strict' };
}
