import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { linksOf, thinData } from './thin-data.js';

interface Vector {
  readonly name: string;
  /** As it is stored. */
  readonly data: string;
  readonly thin: string;
}

const { events } = JSON.parse(readFileSync(new URL('../../../test/vectors/thin-events.json', import.meta.url), 'utf8')) as {
  events: Vector[];
};

describe('the thin form', () => {
  it.each(events)('of $name, byte for byte as it was sent before', ({ data, thin }) => {
    expect(thinData(Buffer.from(data)).toString()).toBe(thin);
  });

  it('has a vector for every kind of record', () => {
    expect(new Set(events.map(({ data }) => (JSON.parse(data) as { kind?: string }).kind))).toEqual(
      new Set(['daily_total', 'session', 'measurement', 'series', undefined]),
    );
  });

  it('is the full form without the record and with links, and the same bytes every time', () => {
    const record = fc.record({
      user: fc.record({ id: fc.string(), externalId: fc.string() }),
      provider: fc.string(),
      metric: fc.string(),
      kind: fc.constantFrom('daily_total' as const, 'daily_summary' as const, 'session' as const, 'measurement' as const),
      localDate: fc.string(),
      source: fc.record({ id: fc.string(), model: fc.option(fc.string()) }),
      recordId: fc.option(fc.string()),
      revision: fc.nat(),
      view: fc.constantFrom('resolved' as const, undefined),
      more: fc.jsonValue(),
      record: fc.jsonValue(),
    });
    fc.assert(
      fc.property(record, (full) => {
        const stored = Buffer.from(JSON.stringify(full));
        const { record: _, ...rest } = JSON.parse(stored.toString()) as typeof full;
        const thin = thinData(stored);
        expect(JSON.parse(thin.toString())).toEqual({ ...rest, links: linksOf(rest) });
        expect(thinData(stored).equals(thin)).toBe(true);
        // Thin is the end of it: nothing is left to take out.
        expect(thinData(thin)).toBe(thin);
      }),
    );
  });

  it('has links also for an id with half a character in it', () => {
    const data = Buffer.from(
      '{"user":{"id":"usr_1"},"provider":"oura","metric":"workout","kind":"session","localDate":"2026-11-28","source":{"id":"s"},"recordId":"a\\ud800","revision":3,"record":{}}',
    );
    const { links } = JSON.parse(thinData(data).toString()) as { links: { self: string } };
    expect(links.self).toBe('/v1/records/revision?kind=workout&user=usr_1&provider=oura&sourceId=s&recordId=a%EF%BF%BD&revision=3');
  });

  it('keeps an event without a record as it is, spaces and all', () => {
    const data = Buffer.from('{ "message": "This is a test.", "revision": 1 }');
    expect(thinData(data)).toBe(data);
  });
});
