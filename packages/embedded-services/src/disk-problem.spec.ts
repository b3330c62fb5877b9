import { describe, expect, it } from '@jest/globals';
import { diskFullProblem, diskProblem } from './disk-problem.js';

describe('diskProblem', () => {
  it('lets 300 MB pass', () => {
    expect(diskProblem(300_000_000, '/data')).toBeUndefined();
  });

  it('names the folder, both sizes and the remedy', () => {
    expect(diskProblem(12_900_000, '/data')).toBe(
      'Only 12 MB are free on the disk of /data, and the database needs at least 300 MB. ' +
        'Free some space, or set TRIBUTARY_DATA_DIR to a folder on another disk.',
    );
  });
});

describe('diskFullProblem', () => {
  it.each([
    'initdb: error: could not write to file "/data/pg_wal/xlogtemp.12": No space left on device',
    'PANIC:  could not write to file "pg_wal/xlogtemp.31": No space left on device',
    'initdb: error: could not create directory "/data/base": Disk quota exceeded',
  ])('reads a full disk out of: %s', (output) => {
    expect(diskFullProblem(output, '/data')).toBe(
      'The disk of /data is full. Free some space, or set TRIBUTARY_DATA_DIR to a folder on another disk.',
    );
  });

  it('sees nothing in other output', () => {
    expect(diskFullProblem('initdb: error: invalid locale name "xx"', '/data')).toBeUndefined();
  });
});
