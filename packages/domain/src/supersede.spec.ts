import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type HeldVersion, type SeenVersion, supersede } from './supersede.js';

const held = (version: number, contentHash: string): HeldVersion => ({ version, contentHash, deleted: false });
const tombstone = (version: number, contentHash = 'a'): HeldVersion => ({ version, contentHash, deleted: true });
const seen = (version: number, contentHash?: string): SeenVersion => ({ version, contentHash });

describe('the version gate', () => {
  it.each([
    ['nothing held, something seen', undefined, seen(1, 'a'), 'created'],
    ['nothing held, nothing seen', undefined, seen(1), 'known'],
    ['other content, newer', held(5, 'a'), seen(6, 'b'), 'updated'],
    ['other content, older', held(5, 'a'), seen(4, 'b'), 'stale'],
    ['other content at the same version', held(5, 'a'), seen(5, 'b'), 'stale'],
    ['same content, newer', held(5, 'a'), seen(6, 'a'), 'confirmed'],
    ['same content, older', held(5, 'a'), seen(4, 'a'), 'known'],
    ['same content at the same version', held(5, 'a'), seen(5, 'a'), 'known'],
    ['absent, newer', held(5, 'a'), seen(6), 'removed'],
    ['absent, older', held(5, 'a'), seen(4), 'stale'],
    ['deleted, seen by a newer read', tombstone(5), seen(6, 'a'), 'restored'],
    ['deleted, seen by an older read', tombstone(5), seen(4, 'a'), 'stale'],
    ['deleted, other content by an older read', tombstone(5), seen(4, 'b'), 'stale'],
    ['deleted, absent again', tombstone(5), seen(6), 'confirmed'],
    ['deleted, absent for an older read', tombstone(5), seen(4), 'known'],
  ] as const)('%s', (_name, before, now, verdict) => {
    expect(supersede(before, now)).toBe(verdict);
  });

  it('2 100 then 8 431 is 8 431, in whichever order they come, and never 10 531', () => {
    expect(
      play([
        { version: 1, contentHash: '2100' },
        { version: 2, contentHash: '8431' },
      ]),
    ).toMatchObject({ contentHash: '8431' });
    expect(
      play([
        { version: 2, contentHash: '8431' },
        { version: 1, contentHash: '2100' },
      ]),
    ).toMatchObject({ contentHash: '8431' });
  });

  it('any order and any copies of reads end in what the newest one showed', () => {
    const reads = fc.uniqueArray(
      fc.record({ version: fc.nat(50), contentHash: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }) }),
      { minLength: 1, maxLength: 8, selector: (read) => read.version },
    );
    fc.assert(
      fc.property(
        reads.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }))),
        ([all, shuffled]) => {
          const newest = all.reduce((best, read) => (read.version > best.version ? read : best));
          const end = play(shuffled);
          // Nothing was ever held when only absences were seen before: there is nothing to mark.
          if (end === undefined) expect(shuffled.every((read) => read.contentHash === undefined)).toBe(true);
          else if (newest.contentHash !== undefined)
            expect(end).toEqual({ version: newest.version, contentHash: newest.contentHash, deleted: false });
        },
      ),
    );
  });
});

/** What a row ends as when reads are written one after the other. */
function play(reads: readonly SeenVersion[]): HeldVersion | undefined {
  let row: HeldVersion | undefined;
  for (const { version, contentHash } of reads) {
    const verdict = supersede(row, { version, contentHash });
    if (verdict === 'created' || verdict === 'updated' || verdict === 'restored')
      row = { version, contentHash: contentHash as string, deleted: false };
    else if (verdict === 'removed') row = { ...(row as HeldVersion), version, deleted: true };
    else if (verdict === 'confirmed') row = { ...(row as HeldVersion), version };
  }
  return row;
}
