import { describe, expect, it } from '@jest/globals';
import type { DailyRecord, HealthRecord } from '@tributary/domain';
import { type Document, readDocument, readNumber } from './document-fields.js';
import { MAX_FAULTS, hashedRecords, inputHashOf, readDocuments, recordsOutcome } from './read-documents.js';

const steps = (value: number): DailyRecord => ({
  kind: 'daily',
  metric: 'steps',
  value,
  providerRecordId: 'x',
  source: { id: 's', type: 'ring', manufacturer: undefined, model: undefined },
  localDate: '2026-09-14',
  dateBasis: 'provider_date',
  dayModel: 'civil',
  utcOffsetS: undefined,
  provisional: false,
  version: undefined,
});

const toSteps = (value: unknown, at: string): HealthRecord[] => [steps(readNumber(readDocument(value, at), 'steps', at) ?? 0)];
const at = (index: number) => `data[${index}].`;

describe('documents read one by one', () => {
  it('C126 one that is not of the known shape is a fault, and the others count', () => {
    const { records, faults } = readDocuments([{ steps: 1 }, { steps: 'many' }, 'no document', { steps: 4 }], at, toSteps);
    expect(records).toMatchObject([{ value: 1 }, { value: 4 }]);
    expect(faults).toEqual(['data[1].steps is no number', 'data[2] is no object']);
  });

  it('what is not the provider’s fault is thrown', () => {
    const broken = () => {
      throw new TypeError('bug');
    };
    expect(() => readDocuments([{}], at, broken)).toThrow(TypeError);
  });

  it('names the first of many faults, over all pages too', () => {
    const page = readDocuments(Array.from({ length: MAX_FAULTS + 5 }), at, toSteps);
    expect(page.faults).toHaveLength(MAX_FAULTS);
    const outcome = recordsOutcome([page, page], true);
    expect(outcome).toMatchObject({ is: 'records', complete: true, records: [] });
    expect(outcome.is === 'records' && outcome.faults).toHaveLength(MAX_FAULTS);
    expect(recordsOutcome([readDocuments([{ steps: 1 }], at, toSteps)], false)).not.toHaveProperty('faults');
  });

  it('a record has the hash of its document, whatever the order of its fields', () => {
    const hashOf = (document: Document) => (readDocuments([document], at, toSteps).records[0] as DailyRecord).inputHash;
    expect(hashOf({ steps: 1, id: 2n })).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf({ steps: 1, id: 2n })).toBe(hashOf({ id: 2n, steps: 1 }));
    expect(hashOf({ steps: 1, id: 2n })).not.toBe(hashOf({ steps: 1, id: 3n }));
  });

  it('a record of several documents has the hash of all of them, and keeps it', () => {
    const [one] = hashedRecords([steps(1)], { sleep: 1 }, { cycle: 2 });
    expect(one).toMatchObject({ inputHash: inputHashOf([{ sleep: 1 }, { cycle: 2 }]) });
    expect(readDocuments([{ cycle: 2 }], at, () => [one as HealthRecord]).records).toEqual([one]);
    const deleted: HealthRecord = { kind: 'deleted', providerRecordId: 'x' };
    expect(hashedRecords([deleted], {})).toEqual([deleted]);
  });
});
