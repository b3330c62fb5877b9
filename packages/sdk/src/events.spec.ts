import { describe, expect, it } from '@jest/globals';
import { type EventData, type EventSchemas, eventSchemas } from '@tributary/handoffs';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { type DailyData, type EventDataByType, type EventType, type VerifiedEvent, eventTypes, isEvent } from './events.js';
import { type CivilDate, civilDate } from './civil-date.js';
import { exampleData } from './example-data.js';
import { type ThinData, isThin } from './thin-event.js';

// Compiled by `npm run types`: the SDK's types are written by hand, and must be the server's to the last field.
type Bare<T> = T extends CivilDate
  ? string
  : T extends readonly (infer U)[]
    ? Bare<U>[]
    : T extends object
      ? { -readonly [K in keyof T]: Bare<T[K]> }
      : T;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Agreed = { [T in EventType]: Same<Bare<EventDataByType[T]>, Bare<EventData<T>>> };
const agreed: Agreed = {
  'connection.created': true,
  'connection.updated': true,
  'connection.reauthRequired': true,
  'connection.revoked': true,
  'daily.updated': true,
  'sleep.updated': true,
  'workout.updated': true,
  'measurement.updated': true,
  'series.updated': true,
  'record.deleted': true,
  'backfill.completed': true,
  'user.erased': true,
  'endpoint.failing': true,
  'endpoint.disabled': true,
  'endpoint.test': true,
};
const noneMissing: Same<EventType, keyof EventSchemas> = true;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Every field of a schema as a path: `user.id`, `record.stages[].start`. */
function fieldsOf(schema: Schema, root: unknown, path = ''): string[] {
  if (schema.$ref) return fieldsOf(resolve(schema.$ref, root), root, path);
  const inside = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((part) => fieldsOf(part, root, path));
  const items = schema.items ? fieldsOf(schema.items, root, `${path}[]`) : [];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...fieldsOf(property, root, at)];
  });
  return [...new Set([...inside, ...items, ...properties])].sort();
}

function resolve(ref: string, root: unknown): Schema {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], root) as Schema;
}

function fieldsOfValue(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => fieldsOfValue(item, `${path}[]`)))].sort();
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, inner]) => {
      const at = path === '' ? name : `${path}.${name}`;
      return [at, ...fieldsOfValue(inner, at)];
    })
    .sort();
}

/** What thin events and those of the resolved view have, and no other. */
const otherForm = /^(view|resolution|links)(\.|$)/;

describe('the events that the SDK knows', () => {
  it('are the events that are sent', () => {
    expect([...eventTypes].sort()).toEqual(Object.keys(eventSchemas).sort());
    expect([agreed, noneMissing]).toEqual([Object.fromEntries(eventTypes.map((type) => [type, true])), true]);
  });
  it.each(eventTypes)('%s: the example is valid, and has every field and no other', (type) => {
    const schema = eventSchemas[type];
    expect(schema.safeParse(exampleData[type]).error).toBeUndefined();
    const shown = fieldsOfValue(exampleData[type]);
    expect(shown).toEqual(
      fieldsOf(z.toJSONSchema(schema) as Schema, undefined).filter((field) => shown.includes(field) || !otherForm.test(field)),
    );
  });
});

describe('a record in its other forms', () => {
  const full = exampleData['daily.updated'];
  const view = {
    view: 'resolved',
    resolution: { picked: { provider: 'oura', sourceId: 'src_1', recordId: null }, rule: 'intraday', derivation: 'computed' },
  } as const;
  const links = { self: '/v1/records/revision?kind=daily', latest: '/v1/records?kind=daily' };

  it('of the resolved view and with links has every field that there is', () => {
    const data = { ...full, ...view, links };
    expect(eventSchemas['daily.updated'].safeParse(data).error).toBeUndefined();
    expect(fieldsOfValue(data)).toEqual(fieldsOf(z.toJSONSchema(eventSchemas['daily.updated']) as Schema, undefined));
  });

  it('is told thin or full by whether the record is there, and its links can be read only when it is thin', () => {
    const whole = full as unknown as DailyData;
    const { record: _, ...rest } = whole;
    const thin: DailyData | ThinData<DailyData> = { ...rest, links };
    expect([isThin<DailyData>(whole), isThin(thin)]).toEqual([false, true]);
    expect(isThin(thin) ? thin.links.self : undefined).toBe(links.self);
  });
});

describe('a civil date', () => {
  it.each(['2026-11-29', '2028-02-29', '1900-01-01'])('is %s', (text) => {
    expect(civilDate(text)).toBe(text);
  });
  it.each(['2026-02-29', '2026-13-01', '2026-1-1', '2026-11-29T00:00:00Z', '20261129', '', ' 2026-11-29'])('is not %j', (text) => {
    expect(() => civilDate(text)).toThrow(RangeError);
  });
  it('does not become a Date by accident: that does not compile', () => {
    const day = civilDate('2026-11-29');
    // @ts-expect-error -- a civil date is no instant
    const instant: Date = new Date(day);
    // @ts-expect-error -- nor has it the methods of one
    const wrong = (): number => new Date(day).getTime();
    const meant: Date = new Date(`${day}T00:00:00Z`);
    const ofText: Date = new Date('2026-11-29');
    const ofAnything: Date = new Date(JSON.parse('"2026-11-29"'));
    expect([instant, wrong(), meant.getTime(), ofText.getTime(), ofAnything.getTime()]).toHaveLength(5);
  });
});

describe('the union of events', () => {
  it('narrows by type, and leaves what is newer than the SDK unknown: that compiles', () => {
    const look = (event: VerifiedEvent): unknown => {
      if (!event.known) {
        // @ts-expect-error -- nothing is known of it
        return event.data.user as unknown;
      }
      switch (event.type) {
        case 'daily.updated':
          return event.data.record.value satisfies number;
        case 'sleep.updated':
          return event.data.record.stages.length satisfies number;
        case 'user.erased':
          return event.data.erasureId satisfies string;
        default:
          return event.data.revision satisfies number;
      }
    };
    const base = { id: 'evt_1', sentAt: new Date(0), timestamp: '2026-11-30T07:00:00.000Z', deliveryAttempt: 1 };
    const daily = { ...base, known: true, type: 'daily.updated', data: exampleData['daily.updated'] } as VerifiedEvent;
    const moon: VerifiedEvent = { ...base, known: false, type: 'moon.risen', data: { user: 7 } };
    expect([look(daily), look(moon), isEvent(daily, 'daily.updated'), isEvent(moon, 'daily.updated')]).toEqual([8_431, 7, true, false]);
  });
});

// The document is generated; in a tree where it has not been yet, the schemas that it comes from are what is checked above.
const document = new URL('../../../docs/openapi.json', import.meta.url);
if (existsSync(document)) {
  const openapi = JSON.parse(readFileSync(document, 'utf8')) as {
    readonly webhooks: Readonly<
      Record<
        string,
        { readonly post: { readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> } } }
      >
    >;
  };
  describe('docs/openapi.json', () => {
    it('promises the events that the SDK knows', () => {
      expect(Object.keys(openapi.webhooks).sort()).toEqual([...eventTypes].sort());
    });
    it.each(eventTypes)('%s: promises the fields that the SDK types', (type) => {
      const schema = openapi.webhooks[type]?.post.requestBody.content['application/json']?.schema ?? {};
      const promised = fieldsOf(schema, openapi)
        .filter((field) => field.startsWith('data.'))
        .map((field) => field.slice('data.'.length));
      expect(promised.filter((field) => !otherForm.test(field))).toEqual(
        fieldsOfValue(exampleData[type]).filter((field) => !otherForm.test(field)),
      );
      expect(promised.includes('links.self')).toBe('record' in exampleData[type] || type === 'series.updated');
    });
  });
}
