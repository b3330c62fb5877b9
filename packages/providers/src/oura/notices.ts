import type { Notice, NoticeKind } from '@tributary/domain';
import { MalformedDelivery, type ParsedDelivery } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { asId, asInstant, asText, bodyObject } from '../read-fields.js';
import { contentId } from '../signature/content-id.js';
import { announcedCollections } from './collections.js';

const kinds: ReadonlyMap<unknown, NoticeKind> = new Map([
  ['create', 'changed'],
  ['update', 'changed'],
  ['delete', 'deleted'],
]);

/**
 * One event a delivery: `event_type`, `data_type`, `object_id`, `event_time`, `user_id`. A type that we do not read gives no notice,
 * whatever else it holds. Fields that we do not know are Oura's to add.
 */
export function ouraNotices(request: RawRequest): ParsedDelivery {
  const event = bodyObject(request);
  // `event_time` has microseconds, so equal bytes are the same event and not a second change that looks like the first.
  const deliveryId = { value: contentId(request.body), kind: 'strict' } as const;

  const dataType = asText(event['data_type'], 'data_type');
  const collection = announcedCollections.find((name) => name === dataType);
  if (collection === undefined) return { deliveryId, notices: [] };

  const kind = kinds.get(event['event_type']);
  if (kind === undefined) throw new MalformedDelivery('event_type: expected create, update or delete');
  const notice: Notice = {
    subjectId: asId(event['user_id'], 'user_id'),
    collection,
    kind,
    window: { kind: 'object', id: asId(event['object_id'], 'object_id') },
    version: asInstant(event['event_time'], 'event_time'),
  };
  return { deliveryId, notices: [notice] };
}
