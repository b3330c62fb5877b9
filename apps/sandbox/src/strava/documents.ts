import { z } from 'zod';

/** `streams` of an activity have its id; `athlete` has one document, whatever its id. */
export const collectionNames = ['activity', 'streams', 'athlete'] as const;
export type Collection = (typeof collectionNames)[number];
export type StravaDocument = Readonly<Record<string, unknown>>;

const amount = z.number().nonnegative();
const digits = z.string().regex(/^[1-9]\d{0,15}$/, 'expected the digits of a number');
const stamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'expected a time such as 2026-09-14T16:10:00Z');

const shapes: Readonly<Record<Collection, z.ZodType>> = {
  activity: z.looseObject({
    start_date: stamp,
    start_date_local: stamp,
    utc_offset: z.number(),
    elapsed_time: amount.int(),
    moving_time: amount.int(),
    distance: amount,
    sport_type: z.string().min(1),
    has_heartrate: z.boolean(),
    private: z.boolean(),
    manual: z.boolean(),
    trainer: z.boolean(),
  }),
  streams: z.strictObject({ time: z.array(z.int()), heartrate: z.array(z.number().nullable()) }),
  athlete: z.looseObject({ weight: amount.nullable() }),
};

/** What a list leaves out. */
const detailOnly = ['calories', 'device_name', 'description', 'splits_metric', 'laps', 'segment_efforts'];

/**
 * Makes a whole document of the fields that a caller gave; `start_date` is enough for an activity. `start_date_local` follows from it and
 * `utc_offset` unless given.
 * @throws z.ZodError when a field is not of Strava's shape.
 */
export function wholeDocument(collection: Collection, id: string, given: StravaDocument, subjectId: string): StravaDocument {
  const document = collection === 'activity' ? activity(digits.parse(id), given, subjectId) : { ...defaults[collection], ...given };
  shapes[collection].parse(document);
  return document;
}

const defaults = { streams: {}, athlete: { weight: 72.5 } } as const;

function activity(id: string, given: StravaDocument, subjectId: string): StravaDocument {
  const { start_date: start, utc_offset: offsetS } = z
    .looseObject({ start_date: stamp, utc_offset: z.number().default(7_200) })
    .parse(given);
  const local = `${new Date(Date.parse(start) + offsetS * 1000).toISOString().slice(0, 19)}Z`;
  return {
    resource_state: 3,
    athlete: { id: Number(subjectId), resource_state: 1 },
    name: 'Evening run',
    distance: 5020.4,
    moving_time: 1_830,
    elapsed_time: 1_864,
    total_elevation_gain: 21.3,
    type: 'Run',
    sport_type: 'Run',
    start_date_local: local,
    timezone: '(GMT+01:00) Europe/Prague',
    trainer: false,
    manual: false,
    private: false,
    map: { id: `a${id}`, summary_polyline: '' },
    start_latlng: [],
    average_cadence: 79.1,
    has_heartrate: false,
    calories: 318,
    device_name: 'Garmin Forerunner 265',
    ...given,
    id: Number(id),
    utc_offset: offsetS,
  };
}

/** An activity as it stands in a list. */
export function summaryOf(document: StravaDocument): StravaDocument {
  return { ...Object.fromEntries(Object.entries(document).filter(([field]) => !detailOnly.includes(field))), resource_state: 2 };
}
