import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NoticeOfWindow, type WindowStanding, fileNotices } from './file-notices.js';

const debounce = { debounceMs: 5_000, maxWaitMs: 60_000 };
const changed = (version?: number): NoticeOfWindow => ({ kind: 'changed', version });
const deleted = (version?: number): NoticeOfWindow => ({ kind: 'deleted', version });
const at = (standing: Partial<WindowStanding>): WindowStanding => ({
  state: 'waiting',
  expects: 'changed',
  requestedVersion: 10,
  coveredVersion: undefined,
  dirty: false,
  firstRequestedAt: 0,
  dueAt: 5_000,
  ...standing,
});

describe('what notices do to a window', () => {
  it('the first one opens a window that waits out the debounce', () => {
    expect(fileNotices(undefined, [changed(7)], debounce, 1_000)).toEqual({
      state: 'waiting',
      expects: 'changed',
      requestedVersion: 7,
      coveredVersion: undefined,
      dirty: false,
      firstRequestedAt: 1_000,
      dueAt: 6_000,
    });
  });

  it('no debounce makes it due at once', () => {
    expect(fileNotices(undefined, [changed(7)], { debounceMs: 0, maxWaitMs: 0 }, 1_000)?.dueAt).toBe(1_000);
  });

  it('of a clock of whole seconds a second change within one second is news, after a read and during one', () => {
    const second = 1_795_936_364_000_000;
    const settled = at({ state: 'settled', requestedVersion: second, coveredVersion: second });
    expect(fileNotices(settled, [deleted(second)], debounce, 0)).toMatchObject({ state: 'waiting', expects: 'deleted' });
    expect(fileNotices(settled, [deleted(second - 1_000_000)], debounce, 0)).toBeUndefined();
    expect(fileNotices(at({ state: 'fetching', requestedVersion: second }), [deleted(second)], debounce, 0)).toMatchObject({ dirty: true });
  });

  it('each further one moves the time, but not past the longest wait', () => {
    let window: WindowStanding | undefined;
    const dues: number[] = [];
    for (let now = 0; now <= 72_000; now += 4_000) {
      window = fileNotices(window, [changed(now + 1)], debounce, now);
      dues.push(window?.dueAt ?? -1);
    }
    expect(dues.slice(0, 3)).toEqual([5_000, 9_000, 13_000]);
    expect(Math.max(...dues)).toBe(60_000);
  });

  it('a pause that the provider asked for is not cut short', () => {
    expect(fileNotices(at({ dueAt: 900_000 }), [changed(11)], debounce, 10_000)?.dueAt).toBe(900_000);
  });

  it('what a finished read includes changes nothing', () => {
    expect(fileNotices(at({ state: 'settled', coveredVersion: 10 }), [changed(10), changed(9), deleted(1)], debounce, 0)).toBeUndefined();
  });

  it.each(['settled', 'dead'] as const)('a %s window opens anew', (state) => {
    expect(fileNotices(at({ state, coveredVersion: 10 }), [changed(11)], debounce, 9_000)).toMatchObject({
      state: 'waiting',
      requestedVersion: 11,
      firstRequestedAt: 9_000,
      dueAt: 14_000,
      dirty: false,
    });
  });

  it('one during a read makes the window dirty, unless the read was asked for it already', () => {
    expect(fileNotices(at({ state: 'fetching' }), [changed(11)], debounce, 0)).toMatchObject({
      state: 'fetching',
      dirty: true,
      dueAt: 5_000,
    });
    expect(fileNotices(at({ state: 'fetching' }), [changed(10)], debounce, 0)).toMatchObject({ dirty: false });
    expect(fileNotices(at({ state: 'fetching' }), [changed()], debounce, 0)).toMatchObject({ dirty: true });
    expect(fileNotices(at({ state: 'fetching', requestedVersion: undefined }), [changed(1)], debounce, 0)).toMatchObject({ dirty: true });
  });

  it('a parked window stays parked and remembers what was asked', () => {
    expect(fileNotices(at({ state: 'parked' }), [deleted(12)], debounce, 0)).toMatchObject({
      state: 'parked',
      requestedVersion: 12,
      expects: 'deleted',
    });
  });

  it('what is expected comes from the newest notice and not from the last to arrive', () => {
    expect(fileNotices(undefined, [changed(9), deleted(5)], debounce, 0)?.expects).toBe('changed');
    expect(fileNotices(at({}), [deleted(9)], debounce, 0)?.expects).toBe('changed');
    expect(fileNotices(at({}), [deleted(11)], debounce, 0)?.expects).toBe('deleted');
    expect(fileNotices(at({}), [deleted()], debounce, 0)?.expects).toBe('deleted');
    expect(fileNotices(at({ requestedVersion: undefined }), [deleted(1)], debounce, 0)?.expects).toBe('deleted');
  });

  it('versioned notices may come in any order and in any number of copies', () => {
    const some = fc.uniqueArray(
      fc.record({ kind: fc.constantFrom('changed' as const, 'deleted' as const), version: fc.integer({ min: 1, max: 99 }) }),
      { minLength: 1, maxLength: 6, selector: (notice) => notice.version },
    );
    fc.assert(
      fc.property(
        some.chain((notices) =>
          fc.tuple(fc.constant(notices), fc.shuffledSubarray([...notices, ...notices], { minLength: notices.length * 2 })),
        ),
        ([notices, shuffled]) => {
          expect(fileNotices(undefined, shuffled, debounce, 0)).toEqual(fileNotices(undefined, notices, debounce, 0));
        },
      ),
    );
  });
});
