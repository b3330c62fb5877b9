import { type Notice, type Window, addDays, civilDayAt, grantCollection, isCivilDay } from '@tributary/domain';
import { listElements } from '../json-elements.js';
import { allHaveNotices, noticesOfEach } from '../notices-of-each.js';
import type { ParsedDelivery } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { type Fields, asId, asList, asObject, bodyObject } from '../read-fields.js';
import { contentId } from '../signature/content-id.js';
import { readPing } from './callback-url.js';
import { type GarminCollection, garminCollections, garminType } from './collections.js';
import { redactGarmin } from './redact.js';

/**
 * An object whose keys are summary types, each a list of items of any number of people. An item is a ping (`callbackURL`, a span of
 * upload times) or a push (the summary itself). Values are not looked at here: codes below zero, fractions and fields to come pass.
 */
export function garminNotices(request: RawRequest): ParsedDelivery {
  const body = bodyObject(request);
  const bytes = listElements(request.body);
  const unread: unknown[] = [];
  const items = Object.entries(body).flatMap(([key, list]): readonly ListedItem[] => {
    const type = garminType(key);
    if (type === undefined) unread.push(list);
    if (type === undefined || list === null) return [];
    if (!Array.isArray(list)) return [{ type, key, at: undefined, value: list }];
    return list.map((value: unknown, at) => ({ type, key, at, value }));
  });
  const read = noticesOfEach(items, ({ type, key, at, value }) => {
    if (at === undefined) return asList(value, key) as never[];
    const path = `${key}[${at}]`;
    const item = asObject(value, path);
    return [type === 'grant' ? grantNotice(item, path) : dataNotice(item, { path, collection: type, bytes: bytes.get(key)?.[at] })];
  });
  // No body says when it was sent, and an activity that is renamed and renamed back is the same bytes twice.
  return {
    deliveryId: { value: contentId(request.body), kind: 'reopenable' },
    ...read,
    ...(unread.length > 0 && { unread: unread.length }),
    ...(!allHaveNotices(unread.flatMap(peopleOf), read.notices) && { bystanders: true }),
  };
}

interface ListedItem {
  readonly type: GarminCollection | 'grant';
  readonly key: string;
  /** Undefined: what stands under the key is no list. */
  readonly at: number | undefined;
  readonly value: unknown;
}

/** Whom something that we do not read is about. */
function peopleOf(list: unknown): unknown[] {
  if (list === null) return [];
  if (!Array.isArray(list)) return [undefined];
  return list.map((item: unknown) => (typeof item === 'object' && item !== null && 'userId' in item ? item.userId : undefined));
}

/** `changeTimeInSeconds` is no version here: unsigned, and to be looked at now whatever it says. */
function grantNotice(item: Fields, path: string): Notice {
  const subjectId = asId(item['userId'], `${path}.userId`);
  return { subjectId, collection: grantCollection, kind: 'changed', window: { kind: 'whole' }, version: undefined };
}

interface ItemOfList {
  readonly path: string;
  readonly collection: GarminCollection;
  readonly bytes: Buffer | undefined;
}

function dataNotice(item: Fields, { path, collection, bytes }: ItemOfList): Notice {
  const pushed = (item['callbackURL'] ?? undefined) === undefined ? summaryWindow(item, path, collection) : undefined;
  // `userAccessToken` changes with each authorisation; `userId` never does.
  const about = { subjectId: asId(item['userId'], `${path}.userId`), collection, kind: 'changed', version: undefined } as const;
  if (pushed !== undefined) return { ...about, window: pushed, ...(bytes !== undefined && { carried: redactGarmin(bytes) }) };
  const { window, callback } = readPing(item, path);
  return { ...about, window, ...(callback !== undefined && { callback }) };
}

/** Undefined for a ping without an address. */
function summaryWindow(item: Fields, path: string, collection: GarminCollection): Window | undefined {
  const { summaryId, uploadStartTimeInSeconds } = item;
  const day = garminCollections[collection].knownBy === 'day' ? dayOf(item) : undefined;
  if (day !== undefined) return { kind: 'days', from: day, to: addDays(day, 1) };
  if (summaryId === undefined && uploadStartTimeInSeconds !== undefined) return undefined;
  return { kind: 'object', id: asId(summaryId, `${path}.summaryId`) };
}

/** Some summaries come without their day but with the watch's clock; a day that is none is no reason to lose the others of the delivery. */
function dayOf({ calendarDate, startTimeInSeconds: start, startTimeOffsetInSeconds: offset }: Fields): string | undefined {
  if (typeof calendarDate === 'string') return isCivilDay(calendarDate) && calendarDate < '2200' ? calendarDate : undefined;
  if (typeof start !== 'number' || typeof offset !== 'number' || !Number.isInteger(offset) || Math.abs(offset) > 86_400) return undefined;
  return start >= 0 && start < LAST_S ? civilDayAt(Math.round(start * 1000), offset) : undefined;
}

/** Seconds: the end of the year 2199. */
const LAST_S = 7_258_032_000;
