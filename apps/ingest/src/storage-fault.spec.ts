import { describe, expect, it } from '@jest/globals';
import { StorageUnavailable, Unstorable, describeFault, mayBlameItem, storageFault } from './storage-fault.js';

const fault = (code?: string) => Object.assign(new Error('Key (subject_id)=(private) is wrong'), { code, detail: 'private' });

describe('a fault of the store', () => {
  it('is the delivery’s own when Postgres refuses its data', () => {
    for (const code of ['22021', '22P05', '23514', '54000']) {
      expect([code, mayBlameItem(fault(code)), storageFault(fault(code))]).toEqual([code, true, new Unstorable(code)]);
    }
  });

  it('is worth another try beside others when it met another transaction, and else means: come back', () => {
    for (const code of ['40P01', '40001', '55P03']) {
      expect([code, mayBlameItem(fault(code)), storageFault(fault(code)) instanceof StorageUnavailable]).toEqual([code, true, true]);
    }
    for (const code of ['ECONNREFUSED', '57P01', '53300', '53100', '57014', '25006', '42P01', undefined]) {
      expect([code, mayBlameItem(fault(code)), storageFault(fault(code)) instanceof StorageUnavailable]).toEqual([code, false, true]);
    }
  });

  it('is logged by its kind, code and place, and quotes nothing', () => {
    const told = describeFault(storageFault(fault('57P01')));
    expect(told).toMatchObject({ fault: 'Error', code: '57P01', at: expect.stringContaining('storage-fault.spec') });
    expect(JSON.stringify(told)).not.toContain('private');
  });
});
