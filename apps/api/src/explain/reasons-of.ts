import type { Explanation } from './explanation.js';

const dateReasons: Readonly<Record<string, string>> = {
  provider_date: 'The day is the label that the provider itself gives the record.',
  record_offset: 'The day follows from the UTC offset in the record.',
  record_zone: 'The day follows from the time zone in the record.',
  profile_zone: "The day follows from the time zone in the person's profile at the provider.",
  fallback_zone: 'The day follows from the fallback zone that you gave for the user: the record tells none.',
  utc_assumed: 'The day is that of UTC: neither the record nor the profile nor you tell a zone. It moves when one is learned.',
};

const endReasons: Readonly<Record<string, string>> = {
  provider_deleted: 'The provider said that it is deleted.',
  absent_confirmed: 'Two complete reads, a day apart, lacked it.',
  rekeyed: 'It lives on under another key: its day or id changed.',
  permission_revoked: 'The person does not permit it any more; it is hidden, and shown again when they do.',
};

/** Why the value is what it is, in sentences. Pure: from the explanation itself. */
export function reasonsOf({ value, date, look, reads, absences, deadLetters }: Omit<Explanation, 'reasons'>): string[] {
  const reasons = [];
  if (value.deleted) reasons.push(`It is gone. ${endReasons[value.deleteReason ?? ''] ?? ''}`.trim());
  reasons.push(
    value.inferred
      ? `The provider gives no version that could be used: the ${look.via === 'push' ? 'webhook that brought it' : 'start of our read'} orders it (${value.version}).`
      : `The provider's own version orders it (${value.version}); an older one cannot replace it.`,
  );
  reasons.push(
    look.via === 'push'
      ? `It came in a webhook, and was true at the provider between ${look.trueFrom} and ${look.trueTo}.`
      : `We read it${look.complete ? '' : ', in part,'} from the provider; it was true there between ${look.trueFrom} and ${look.trueTo}.`,
  );
  if (value.versionEpoch > 0)
    reasons.push(`The provider's clock has run backwards ${value.versionEpoch} time(s); versions of before do not count.`);
  if (value.unsettled) reasons.push('Two looks at it have no order: it is read once more, and provisional until then.');
  if (value.doubted) reasons.push('Another state was seen once. It counts when it is seen again.');
  if (absences.length > 0) reasons.push('A complete read of its day lacked it; it goes when another read, a day later, lacks it too.');
  if (value.provisional && !value.unsettled) reasons.push('The provider may still change it.');
  reasons.push(dateReasons[date.dateBasis] ?? `The day rests on ${date.dateBasis}.`);
  const waiting = reads.filter((read) => read.state === 'waiting' || read.state === 'fetching');
  if (waiting.length > 0)
    reasons.push(`${waiting.length} read(s) of it are due or under way, the first at ${first(waiting.map((read) => read.dueAt))}.`);
  const open = deadLetters.filter((letter) => letter.closedAt === null);
  if (open.length > 0) reasons.push(`A read was given up (${open.map((letter) => letter.code).join(', ')}): what is shown may be old.`);
  return reasons;
}

function first(instants: readonly string[]): string {
  return instants.reduce((least, one) => (one < least ? one : least));
}
