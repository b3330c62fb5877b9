import {
  type Notice,
  type NoticeKind,
  type Version,
  type Window,
  addDays,
  grantCollection,
  isCivilDay,
  versionToText,
} from '@tributary/domain';
import { noticesOfEach } from '../notices-of-each.js';
import { MalformedDelivery, type ParsedDelivery } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { type Fields, asCivilDay, asId, asInstant, asObject, asText, bodyObject } from '../read-fields.js';
import { isStandardWebhooksCollection } from './collections.js';
import { messageHeaders } from './headers.js';

/** The last word of a type. `revoked`, of whatever, is about the grant. */
const verbs: ReadonlyMap<string, NoticeKind | 'grant'> = new Map<string, NoticeKind | 'grant'>([
  ['created', 'changed'],
  ['updated', 'changed'],
  ['deleted', 'deleted'],
  ['revoked', 'grant'],
]);

/** Where the person may stand in an item. */
const subjectFields = ['subject', 'patientId', 'patient_id', 'userId', 'user_id'] as const;
const changeFields = ['updatedAt', 'updated_at'] as const;

/**
 * The payload of the specification (`type`, `timestamp`, `data`), read by the grammar of docs/standard-webhooks-source.md. A type that is not
 * `<collection>.<verb>` gives no notice. The message id is the sender's promise that a repeat is a repeat.
 */
export function standardWebhooksNotices(request: RawRequest): ParsedDelivery {
  const deliveryId = { value: messageHeaders(request).id as string, kind: 'strict' } as const;
  const event = bodyObject(request);
  const type = asText(event['type'], 'type');
  const point = type.lastIndexOf('.');
  const collection = type.slice(0, Math.max(point, 0));
  const verb = verbs.get(type.slice(point + 1));
  if (verb === undefined || !isStandardWebhooksCollection(collection)) return { deliveryId, notices: [] };

  const sentAt = event['timestamp'] == null ? undefined : asInstant(event['timestamp'], 'timestamp');
  const { data } = event;
  const items: readonly (readonly [unknown, string])[] = Array.isArray(data)
    ? data.map((item: unknown, at) => [item, `data[${at}]`] as const)
    : [[data, 'data']];
  const read = noticesOfEach(items, ([value, path]): Notice[] => {
    const item = asObject(value, path);
    const subjectId = subjectOf(item, path);
    const version = changeOf(item, path) ?? sentAt;
    return verb === 'grant' || collection === grantCollection
      ? [{ subjectId, collection: grantCollection, kind: 'changed', window: { kind: 'whole' }, version }]
      : [{ subjectId, collection, kind: verb, window: windowOf(item, path), version }];
  });
  return { deliveryId, ...read };
}

/** One person, under whichever of the names; two that differ are nobody. */
function subjectOf(item: Fields, path: string): string {
  const given = subjectFields.filter((name) => item[name] != null).map((name) => asId(item[name], `${path}.${name}`));
  const [subjectId] = given;
  if (subjectId === undefined) throw new MalformedDelivery(`${path}: expected one of ${subjectFields.join(', ')}`);
  if (given.some((other) => other !== subjectId)) throw new MalformedDelivery(`${path}: names two people`);
  return subjectId;
}

function changeOf(item: Fields, path: string): Version | undefined {
  const name = changeFields.find((field) => item[field] != null);
  return name === undefined ? undefined : asInstant(item[name], `${path}.${name}`);
}

/** The narrowest that is named: a record, a day, a span, or all of the collection. */
function windowOf(item: Fields, path: string): Window {
  if (item['id'] != null) return { kind: 'object', id: asId(item['id'], `${path}.id`) };
  if (item['date'] != null) {
    const from = asCivilDay(item['date'], `${path}.date`);
    return { kind: 'days', from, to: addDays(from, 1) };
  }
  if (item['start'] == null && item['end'] == null) return { kind: 'whole' };
  return typeof item['start'] === 'string' && isCivilDay(item['start']) ? spanOfDays(item, path) : spanOfInstants(item, path);
}

/** `end` is the last day, and belongs to the span. */
function spanOfDays({ start, end }: Fields, path: string): Window {
  const from = asCivilDay(start, `${path}.start`);
  const last = asCivilDay(end, `${path}.end`);
  if (last < from) throw new MalformedDelivery(`${path}.end: before its start`);
  return { kind: 'days', from, to: addDays(last, 1) };
}

/** `end` is outside, but a span of no length is the moment itself. */
function spanOfInstants({ start, end }: Fields, path: string): Window {
  const from = asInstant(start, `${path}.start`);
  const to = asInstant(end, `${path}.end`);
  if (to < from) throw new MalformedDelivery(`${path}.end: before its start`);
  return { kind: 'instants', from: versionToText(from), to: versionToText(Math.max(to, from + 1)) };
}
