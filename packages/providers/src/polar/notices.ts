import { type Notice, type Window, addDays } from '@tributary/domain';
import type { ParsedDelivery } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { type Fields, asCivilDay, asId, asText, bodyObject } from '../read-fields.js';
import { contentId } from '../signature/content-id.js';
import type { PolarCollection } from './collections.js';

interface Pointer {
  readonly collections: readonly PolarCollection[];
  readonly window: (event: Fields) => Window;
}

/** `date` is a day of the person's own calendar. */
function oneDay(event: Fields): Window {
  const from = asCivilDay(event['date'], 'date');
  return { kind: 'days', from, to: addDays(from, 1) };
}

/** Every event that is read. Nightly Recharge and the skin's temperature are worked out of the night and have no events of their own. */
const pointers: ReadonlyMap<string, Pointer> = new Map<string, Pointer>([
  ['EXERCISE', { collections: ['exercises'], window: (event) => ({ kind: 'object', id: asId(event['entity_id'], 'entity_id') }) }],
  ['ACTIVITY_SUMMARY', { collections: ['activities'], window: oneDay }],
  ['SLEEP', { collections: ['sleep', 'nightly-recharge', 'skin-temperature'], window: oneDay }],
  ['CONTINUOUS_HEART_RATE', { collections: ['continuous-heart-rate'], window: oneDay }],
  ['PHYSICAL_INFORMATION', { collections: ['physical-info'], window: () => ({ kind: 'whole' }) }],
]);

/**
 * One event a delivery: `event`, `user_id`, and `entity_id` or `date`. `url` is never followed: where data is read from is ours to know.
 * `timestamp` is when the notification was sent and not when the data changed, so it is no version; and it has whole seconds, in which a
 * day may change twice, so equal bytes are not for ever the same delivery.
 */
export function polarNotices(request: RawRequest): ParsedDelivery {
  const event = bodyObject(request);
  const deliveryId = { value: contentId(request.body), kind: 'reopenable' } as const;
  const name = asText(event['event'], 'event');
  if (name === 'PING') return { deliveryId, notices: [], handshake: true };
  const pointer = pointers.get(name);
  if (pointer === undefined) return { deliveryId, notices: [] };

  const subjectId = asId(event['user_id'], 'user_id');
  const window = pointer.window(event);
  const notices = pointer.collections.map((collection): Notice => ({ subjectId, collection, kind: 'changed', window, version: undefined }));
  return { deliveryId, notices };
}
