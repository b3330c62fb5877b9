import { type Notice, type Window, addDays, grantCollection, isCivilDay } from '@tributary/domain';
import { MalformedDelivery, type ParsedDelivery } from '../provider.js';
import type { Answer, RawRequest } from '../raw-request.js';
import { type Fields, asCivilDay, asEpochSeconds, asId, asText } from '../read-fields.js';
import { bodyForm, mayBeForm } from '../read-form.js';
import { contentId } from '../signature/content-id.js';
import { ACCOUNT_APPLI, type WithingsCollection, collectionsByAppli } from './collections.js';

const noForm: Answer = {
  status: 415,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    code: 'unsupported_media_type',
    message: 'Withings sends application/x-www-form-urlencoded; nothing was read or stored.',
  }),
};

/**
 * One event a delivery, as a form: `userid`, `appli`, and `startdate` and `enddate` in Unix seconds or `date`. It never says whether
 * data came, changed or went, nor when. Fields that we do not know are Withings' to add; its own example has one.
 */
export function withingsNotices(request: RawRequest): ParsedDelivery {
  // There is no time of the change in it: the next change of the same span has the same bytes.
  const deliveryId = { value: contentId(request.body), kind: 'reopenable' } as const;
  // The portal's test of an address.
  if (request.body.length === 0) return { deliveryId, notices: [], handshake: true };
  // Only Withings knows this address, and Withings sends forms; multipart and JSON come from people's own tests.
  if (!mayBeForm(request)) return { deliveryId, notices: [], answer: noForm };
  return { deliveryId, notices: noticesOf(bodyForm(request)) };
}

function noticesOf(fields: Fields): Notice[] {
  const appli = asText(fields['appli'], 'appli');
  if (appli === ACCOUNT_APPLI) {
    if (fields['action'] === 'update') return [];
    return [{ subjectId: subjectOf(fields), collection: grantCollection, kind: 'changed', window: { kind: 'whole' }, version: undefined }];
  }
  return (collectionsByAppli.get(appli) ?? []).map((collection) => ({
    subjectId: subjectOf(fields),
    collection,
    kind: 'changed',
    window: windowOf(fields, collection),
    version: undefined,
  }));
}

function subjectOf(fields: Fields): string {
  return asId(fields['userid'], 'userid');
}

/** Activity is kept by days, the rest by instants; a notification that has only the other form is read by that. */
const byDay: ReadonlySet<WithingsCollection> = new Set(['activity', 'intraday']);

function windowOf(fields: Fields, collection: WithingsCollection): Window {
  const hasDate = fields['date'] !== undefined;
  const hasSpan = fields['startdate'] !== undefined || fields['enddate'] !== undefined;
  if (hasDate && (byDay.has(collection) || !hasSpan)) return daysOf(fields['date']);
  return hasSpan ? spanOf(fields) : { kind: 'whole' };
}

function daysOf(date: unknown): Window {
  const isEpoch = typeof date === 'string' && /^\d+$/.test(date);
  // An instant, in a zone that we do not know: its day, or the one before or after.
  const [from, days] = isEpoch ? [addDays(dayOf(asEpochSeconds(date, 'date')), -1), 3] : [asCivilDay(date, 'date'), 1];
  const to = addDays(from, days);
  if (!isCivilDay(to)) throw new MalformedDelivery('date: no day follows it');
  return { kind: 'days', from, to };
}

function spanOf(fields: Fields): Window {
  const start = asEpochSeconds(fields['startdate'], 'startdate');
  const end = asEpochSeconds(fields['enddate'], 'enddate');
  if (end < start) throw new MalformedDelivery('enddate: before startdate');
  // Whether the last second belongs to the span is not said; a weight may be one second long.
  return { kind: 'instants', from: instantOf(start), to: instantOf(asEpochSeconds(end + 1, 'enddate')) };
}

function instantOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function dayOf(seconds: number): string {
  return instantOf(seconds).slice(0, 10);
}
