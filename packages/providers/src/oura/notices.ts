import { type Notice, type NoticeKind, type Version, versionFromText } from '@tributary/domain';
import { parseJson } from '../parse-json.js';
import { MalformedDelivery, type ParsedDelivery } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { contentId } from '../signature/content-id.js';
import { ouraCollections } from './collections.js';

/** Longer ids than Oura's 36 characters are let through, but not so long that an index could not hold them. */
const LONGEST_ID = 256;

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
  const body = parseJson(request.body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new MalformedDelivery('body: expected an object');
  const event = body as Record<string, unknown>;
  // `event_time` has microseconds, so equal bytes are the same event and not a second change that looks like the first.
  const deliveryId = { value: contentId(request.body), kind: 'strict' } as const;

  const collection = event['data_type'];
  if (typeof collection !== 'string' || collection === '') throw new MalformedDelivery('data_type: expected text');
  if (!Object.hasOwn(ouraCollections, collection)) return { deliveryId, notices: [] };

  const kind = kinds.get(event['event_type']);
  if (kind === undefined) throw new MalformedDelivery('event_type: expected create, update or delete');
  const notice: Notice = {
    subjectId: idText(event, 'user_id'),
    collection,
    kind,
    window: { kind: 'object', id: idText(event, 'object_id') },
    version: eventTime(event['event_time']),
  };
  return { deliveryId, notices: [notice] };
}

/** Ids are text at Oura; a number is taken as its digits, should one ever come. */
function idText(event: Record<string, unknown>, field: string): string {
  const value = event[field];
  const text = Number.isSafeInteger(value) || typeof value === 'bigint' ? String(value) : value;
  if (typeof text !== 'string' || text === '') throw new MalformedDelivery(`${field}: expected text`);
  if (text.length > LONGEST_ID) throw new MalformedDelivery(`${field}: longer than ${LONGEST_ID} characters`);
  // Postgres cannot hold these two, and what is left after dropping them would be another person's id.
  if (/\0|\p{Surrogate}/u.test(text)) throw new MalformedDelivery(`${field}: holds a NUL or half a surrogate pair`);
  return text;
}

function eventTime(value: unknown): Version {
  const version = typeof value === 'string' ? versionFromText(value) : undefined;
  if (version === undefined || !Number.isSafeInteger(version) || version < 0) {
    throw new MalformedDelivery('event_time: expected an instant in RFC 3339');
  }
  return version;
}
