/** Where the record of an event is read, relative to the address of the API: our own address is no part of what is signed. */
export interface RecordLinks {
  /** The record as the event tells it; refused once it was replaced. */
  readonly self: string;
  /** The record as it is when it is asked for. */
  readonly latest: string;
}

/** What names a record, among the fields of its event. */
interface Linked {
  readonly user: { readonly id: string };
  readonly provider: string;
  readonly metric: string;
  readonly kind: 'daily_total' | 'daily_summary' | 'session' | 'measurement' | 'series';
  readonly localDate: string;
  readonly source: { readonly id: string };
  readonly recordId?: string | null;
  readonly workoutId?: string | null;
  readonly revision: number;
  readonly view?: 'resolved' | undefined;
}

/**
 * The thin form of stored `data`: the record left out, and links to it put behind the rest. What has no record is the same in both forms.
 *
 * Retries and replays derive it again, so the same bytes must give the same bytes for ever: whoever changes this function changes what was
 * sent before. `test/vectors/thin-events.json` holds it to that.
 */
export function thinData(data: Buffer): Buffer {
  const full = JSON.parse(data.toString('utf8')) as Record<string, unknown>;
  if (!('record' in full)) return data;
  const { record: _, ...rest } = full;
  return Buffer.from(JSON.stringify({ ...rest, links: linksOf(rest as unknown as Linked) }));
}

export function linksOf(data: Linked): RecordLinks {
  const { revision } = data;
  if (data.view === 'resolved') {
    const self = query({ kind: kindOf(data), user: data.user.id, ...placeInView(data), revision, view: 'resolved' });
    return { self: `/v1/records/revision?${self}`, latest: latestOfView(data) };
  }
  const key = query({ kind: kindOf(data), user: data.user.id, provider: data.provider, sourceId: data.source.id, ...placeAtSource(data) });
  return { self: `/v1/records/revision?${key}&revision=${revision}`, latest: `/v1/records?${key}` };
}

type Kind = 'daily' | 'sleep' | 'workout' | 'measurement' | 'series';
type Fields = Readonly<Record<string, string | number | null | undefined>>;

function kindOf({ kind, metric }: Linked): Kind {
  if (kind === 'session') return metric === 'workout' ? 'workout' : 'sleep';
  return kind === 'measurement' || kind === 'series' ? kind : 'daily';
}

/** Days of sessions and measurements may move, and are no part of their key. */
function placeAtSource(data: Linked): Fields {
  const { metric, localDate, recordId, workoutId } = data;
  switch (data.kind) {
    case 'session':
      return { recordId };
    case 'measurement':
      return { metric, recordId };
    case 'series':
      return workoutId == null ? { metric, localDate } : { metric, workoutId };
    default:
      return { metric, localDate };
  }
}

/** The view has one value of a day, and sessions by the one that stands for them. */
function placeInView({ kind, metric, localDate, provider, source, recordId }: Linked): Fields {
  return kind === 'session' ? { localDate, provider, sourceId: source.id, recordId } : { metric, localDate };
}

const listOf = { daily: 'daily', sleep: 'sleep', workout: 'workouts', measurement: 'measurements', series: 'series' } as const;

function latestOfView(data: Linked): string {
  const { user, metric, localDate, kind } = data;
  const narrowed = query({ ...(kind !== 'session' && { metric }), from: localDate, to: localDate, view: 'resolved' });
  return `/v1/users/${user.id}/${listOf[kindOf(data)]}?${narrowed}`;
}

function query(fields: Fields): string {
  return (
    Object.entries(fields)
      .filter(([, value]) => value != null)
      // Half a character, which a provider may send, has no form in an address: it is sought as what the database made of it.
      .map(([name, value]) => `${name}=${encodeURIComponent(Buffer.from(String(value)).toString())}`)
      .join('&')
  );
}
