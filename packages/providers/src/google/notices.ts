import type { Notice, Window } from '@tributary/domain';
import { allHaveNotices, noticesOfEach } from '../notices-of-each.js';
import { parseJson } from '../parse-json.js';
import type { ParsedDelivery } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { asId, asList, asObject, asText } from '../read-fields.js';
import { contentId } from '../signature/content-id.js';
import { googleCollections, toldCollection } from './collections.js';
import { isProbe, saysVerification } from './handshake.js';
import { intervalWindow } from './intervals.js';

/**
 * A list of notifications, of any number of people, or one alone: `data` with `healthUserId`, `operation`, `dataType`, `intervals`. Each
 * interval is a notice of its own, so that two that lie months apart do not become the months between them.
 */
export function googleNotices({ body }: RawRequest): ParsedDelivery {
  const parsed = parseJson(body);
  // Nothing in a body says when it was sent: the same day changed twice is told in the same bytes.
  const deliveryId = { value: contentId(body), kind: 'reopenable' } as const;
  // 204, which is right for everything else, fails the probe; 201 is the documented answer.
  if (isProbe(parsed)) return { deliveryId, notices: [], handshake: true, answer: { status: 201 } };

  const passedOver: PassedOver[] = [];
  const read = Array.isArray(parsed)
    ? noticesOfEach<unknown>(parsed, (item, at) => itemNotices(item, `[${at}]`, passedOver))
    : noticesOfEach([parsed], (item) => itemNotices(item, '', passedOver));
  const people = passedOver.map(({ healthUserId }) => healthUserId);
  return {
    deliveryId,
    ...read,
    ...(passedOver.length > 0 && { unread: new Set(passedOver.map(({ dataType }) => dataType)).size }),
    ...(!allHaveNotices(people, read.notices) && { bystanders: true }),
  };
}

/** An item of a type that we do not read. */
interface PassedOver {
  readonly dataType: string;
  readonly healthUserId: unknown;
}

/** @param passedOver is told of an item of a type that we do not read. */
function itemNotices(value: unknown, at: string, passedOver: PassedOver[]): Notice[] {
  const item = asObject(value, at || 'body');
  const path = at === '' ? 'data' : `${at}.data`;
  // A probe among notifications says nothing.
  if (item['data'] === undefined && saysVerification(item)) return [];
  const data = asObject(item['data'], path);
  const dataType = asText(data['dataType'], `${path}.dataType`);
  const collection = toldCollection(dataType);
  if (collection === undefined) {
    passedOver.push({ dataType, healthUserId: data['healthUserId'] });
    return [];
  }

  const notice = {
    subjectId: asId(data['healthUserId'], `${path}.healthUserId`),
    collection,
    // `UPSERT` and words that we do not know yet: go and look.
    kind: data['operation'] === 'DELETE' ? 'deleted' : 'changed',
    // `data.version` is the version of the payload's shape, not of the data.
    version: undefined,
  } as const;
  return windows(data['intervals'], `${path}.intervals`, googleCollections[collection].spans).map((window) => ({ ...notice, window }));
}

function windows(value: unknown, path: string, preferred: 'days' | 'instants'): readonly Window[] {
  const intervals = value === undefined || value === null ? [] : asList(value, path);
  // Something changed, and nothing says when.
  if (intervals.length === 0) return [{ kind: 'whole' }];
  return intervals.map((interval, at) => intervalWindow(interval, `${path}[${at}]`, preferred));
}
