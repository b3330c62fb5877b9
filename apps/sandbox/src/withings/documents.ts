import { z } from 'zod';

export const collectionNames = ['measure', 'activity', 'intraday', 'workout', 'sleep'] as const;
export type Collection = (typeof collectionNames)[number];

/** As Withings would answer it. */
export type WithingsDocument = Readonly<Record<string, unknown>>;

export const TIME_ZONE = 'Europe/Prague';

const seconds = z.int().min(0);
const amount = z.number();

interface Rules {
  readonly shape: z.ZodType<Record<string, unknown>>;
  /** Of the id that the address gave. */
  readonly idField: string;
  readonly id: z.ZodType<string | number>;
  readonly defaults: Readonly<Record<string, unknown>>;
}

const numeric = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'expected a number')
  .transform(Number);
const span = { startdate: seconds, enddate: seconds, date: z.iso.date(), timezone: z.string(), modified: seconds };

/** Whole documents; a caller gives the fields it cares about, and the constants below stand for the rest. */
const rules: Readonly<Record<Collection, Rules>> = {
  measure: {
    idField: 'grpid',
    id: numeric,
    shape: z.looseObject({
      date: seconds,
      created: seconds,
      modified: seconds,
      category: z.union([z.literal(1), z.literal(2)]),
      attrib: z.int(),
      measures: z.array(z.looseObject({ value: z.int(), type: z.int(), unit: z.int() })).min(1),
    }),
    defaults: {
      attrib: 0,
      category: 1,
      deviceid: 'd'.repeat(40),
      hash_deviceid: 'd'.repeat(40),
      modelid: 13,
      model: 'Body+',
      comment: null,
    },
  },
  activity: {
    idField: 'date',
    id: z.iso.date(),
    shape: z.looseObject({
      date: z.iso.date(),
      modified: seconds,
      timezone: z.string(),
      steps: amount,
      distance: amount,
      calories: amount,
    }),
    defaults: {
      steps: 5000,
      distance: 4200.5,
      elevation: 6,
      soft: 9000,
      moderate: 600,
      intense: 300,
      active: 900,
      calories: 310.2,
      totalcalories: 2150.4,
      deviceid: null,
      hash_deviceid: null,
      timezone: TIME_ZONE,
      brand: 1,
      modelid: 93,
      model: 'ScanWatch',
      is_tracker: true,
    },
  },
  // One stretch of a day, by the second at which it began.
  intraday: {
    idField: 'at',
    id: numeric,
    shape: z.looseObject({ at: seconds, model_id: z.int() }),
    defaults: { steps: 12, duration: 60, heart_rate: 71, model: 'ScanWatch', model_id: 93, deviceid: 'd'.repeat(40) },
  },
  workout: {
    idField: 'id',
    id: numeric,
    shape: z.looseObject({ ...span, category: z.int(), data: z.looseObject({}) }),
    defaults: {
      category: 2,
      attrib: 7,
      timezone: TIME_ZONE,
      model: 93,
      model_id: 93,
      data: { calories: 318, effduration: 1800, distance: 5020, steps: 5400, hr_average: 148, hr_min: 96, hr_max: 171, pause_duration: 60 },
    },
  },
  sleep: {
    idField: 'id',
    id: numeric,
    // `stretches` are its stages, which only the list of one sleep shows.
    shape: z.looseObject({
      ...span,
      completed: z.boolean(),
      data: z.looseObject({}),
      stretches: z.array(z.looseObject({ startdate: seconds, enddate: seconds, state: z.int() })),
    }),
    defaults: {
      stretches: [],
      timezone: TIME_ZONE,
      model: 32,
      model_id: 63,
      completed: true,
      data: {
        total_timeinbed: 27_060,
        total_sleep_time: 25_080,
        lightsleepduration: 14_040,
        deepsleepduration: 4860,
        remsleepduration: 6180,
        wakeupduration: 1980,
        sleep_latency: 540,
        hr_average: 54,
        hr_min: 49,
        rr_average: 14,
        sleep_score: 81,
        apnea_hypopnea_index: -1,
      },
    },
  },
};

/**
 * Makes a whole document; `modified` is now, unless it is given. @param now epoch milliseconds
 * @throws z.ZodError when a field is not of Withings' shape, or the id is none.
 */
export function wholeDocument(collection: Collection, id: string, given: WithingsDocument, now: number): WithingsDocument {
  const { shape, idField, id: idShape, defaults } = rules[collection];
  const second = Math.floor(now / 1000);
  const whole = { ...defaults, created: second, modified: second, ...given, [idField]: idShape.parse(id) };
  shape.parse(whole);
  return whole;
}

/** `meastype`s of which appli 2 and 4 tell; of all others 1 does. */
const temperatures = new Set([12, 71, 73]);
const hearts = new Set([9, 10, 11, 54]);

/** What a notification says of a document that came, changed or went; it never says which of these. */
export function fieldsAbout(collection: Collection, document: WithingsDocument): { appli: string; fields: Record<string, string> } {
  if (collection === 'intraday') return { appli: '16', fields: { date: dayOf(Number(document['at'])) } };
  if (collection === 'activity' || collection === 'workout') return { appli: '16', fields: { date: String(document['date']) } };
  if (collection === 'sleep') {
    return { appli: '44', fields: { startdate: String(document['startdate']), enddate: String(document['enddate']) } };
  }
  const measured = (document['measures'] as { type: number }[]).map(({ type }) => type);
  const appli = measured.every((type) => temperatures.has(type)) ? '2' : measured.every((type) => hearts.has(type)) ? '4' : '1';
  return { appli, fields: { startdate: String(document['date']), enddate: String(Number(document['date']) + 1) } };
}

/** @param at whole seconds since 1970. */
function dayOf(at: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: TIME_ZONE, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at * 1000);
}
