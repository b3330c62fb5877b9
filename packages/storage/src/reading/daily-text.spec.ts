import { describe, expect, it } from '@jest/globals';
import { dailyValuesOf } from './daily-text.js';

const source = '{"id": "a\\u001fb", "type": "ring"}';

function text(fields: Partial<Record<'offset' | 'value' | 'sourceId', string>>): { row: string } {
  const { offset = '3600', value = '8431', sourceId = 'ring' } = fields;
  const all = ['usr_1', 'con_1', 'oura', '2026-11-29', source, 'provider_date', 'civil_0400', offset, 't', '1795938764123456', 'f', '77'];
  return { row: [...all, 'steps', value, '{steps}', 'f', sourceId].join('\u001f') };
}

describe('a daily value in one text', () => {
  it('has its fields with their types', () => {
    expect(dailyValuesOf([text({})])).toEqual([
      {
        userId: 'usr_1',
        connectionId: 'con_1',
        provider: 'oura',
        sourceId: 'ring',
        localDate: '2026-11-29',
        source: { id: 'a\u001fb', type: 'ring' },
        dateBasis: 'provider_date',
        dayModel: 'civil_0400',
        utcOffsetS: 3600,
        provisional: true,
        version: 1_795_938_764_123_456,
        inferred: false,
        revision: 77,
        metric: 'steps',
        value: 8431,
        unit: '{steps}',
        implausible: false,
      },
    ]);
  });

  it('tells no offset from none at all, keeps fractions, and any character in the name of a source', () => {
    const rows = dailyValuesOf([
      text({ offset: '' }),
      text({ offset: '0', value: '-0.1' }),
      text({ value: '1e-07', sourceId: 'a\u001fb\u001f' }),
    ]);
    expect(rows.map((row) => [row.utcOffsetS, row.value, row.sourceId])).toEqual([
      [null, 8431, 'ring'],
      [0, -0.1, 'ring'],
      [3600, 1e-7, 'a\u001fb\u001f'],
    ]);
  });

  it('is refused when a field is missing', () => {
    expect(() => dailyValuesOf([{ row: 'usr_1\u001fcon_1' }])).toThrow('too few fields');
  });
});
