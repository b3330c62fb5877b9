import { type FetchOutcome, rangeOfRecord } from '@tributary/domain';

/**
 * A value that no body can have is a fault of the answer, whatever adapter let it through: nothing of the read is believed, what we
 * hold stays, and the letter names the path.
 */
export function refuseImpossible(outcome: FetchOutcome): FetchOutcome {
  if (outcome.is !== 'records') return outcome;
  for (const [index, record] of outcome.records.entries()) {
    if (record.kind === 'deleted') continue;
    const { range, path } = rangeOfRecord(record);
    if (range === 'impossible') return { is: 'drift', detail: `records[${index}].${path} is out of any possible range` };
  }
  return outcome;
}
