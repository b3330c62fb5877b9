import { type Notice, type NoticeKind, type Version, grantCollection, versionFromMs } from '@tributary/domain';
import { MalformedDelivery, type ParsedDelivery } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { type Fields, asEpochSeconds, asId, asText, bodyObject } from '../read-fields.js';
import { contentId } from '../signature/content-id.js';
import type { StravaCollection } from './collections.js';

const kinds: ReadonlyMap<unknown, NoticeKind> = new Map([
  ['create', 'changed'],
  ['update', 'changed'],
  ['delete', 'deleted'],
]);

/**
 * One event a delivery: `object_type`, `object_id`, `aspect_type`, `updates`, `owner_id`, `subscription_id`, `event_time`. What was
 * changed is never believed, only looked at.
 */
export function stravaNotices(request: RawRequest): ParsedDelivery {
  const event = bodyObject(request);
  // Equal bytes name one object, one change and one second: the same event, or one that a read finds in the same state.
  const deliveryId = { value: contentId(request.body), kind: 'strict' } as const;
  const notice = noticeOf(event, asText(event['object_type'], 'object_type'));
  return { deliveryId, notices: notice === undefined ? [] : [notice] };
}

function noticeOf(event: Fields, objectType: string): Notice | undefined {
  if (objectType === 'athlete') return endsGrant(event) ? { ...whoseAndWhen(event), ...theGrant } : undefined;
  if (objectType !== ('activity' satisfies StravaCollection)) return undefined;
  const kind = kinds.get(event['aspect_type']);
  if (kind === undefined) throw new MalformedDelivery('aspect_type: expected create, update or delete');
  return { ...whoseAndWhen(event), collection: objectType, kind, window: { kind: 'object', id: asId(event['object_id'], 'object_id') } };
}

const theGrant = { collection: grantCollection, kind: 'changed', window: { kind: 'whole' } } as const;

/** `updates.authorized` is the text `"false"`; whatever it says, the grant is looked at. Strava names no other change of an athlete. */
function endsGrant({ aspect_type: aspect, updates }: Fields): boolean {
  return aspect === 'delete' || (typeof updates === 'object' && updates !== null && Object.hasOwn(updates, 'authorized'));
}

function whoseAndWhen(event: Fields): { subjectId: string; version: Version } {
  // The change came at some moment of the second that it names: a read that began within it may have missed it.
  const version = versionFromMs((asEpochSeconds(event['event_time'], 'event_time') + 1) * 1000) - 1;
  if (!Number.isSafeInteger(version)) throw new MalformedDelivery('event_time: further off than a version can say');
  return { subjectId: asId(event['owner_id'], 'owner_id'), version };
}
