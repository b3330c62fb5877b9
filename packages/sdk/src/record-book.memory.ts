import { type RecordData } from './events.js';
import { type RecordBook } from './record-book.js';
import { type RecordKey, isNewer, recordChangeOf } from './record-change.js';

export interface HeldRecord {
  readonly key: RecordKey;
  readonly revision: number;
  readonly data: RecordData;
}

export interface MemoryRecords extends RecordBook {
  /** Undefined when there is none, or none any more. */
  get(key: RecordKey): HeldRecord | undefined;
  /** Sorted by key. */
  list(): readonly HeldRecord[];
}

interface Slot {
  readonly key: RecordKey;
  readonly revision: number;
  /** Undefined: removed. */
  readonly data: RecordData | undefined;
}

/** A record book for tests, demos and caches. */
export function memoryRecords(): MemoryRecords {
  const slots = new Map<string, Slot>();
  const erased = new Set<string>();
  const held = (slot: Slot | undefined): HeldRecord | undefined =>
    slot?.data === undefined ? undefined : { key: slot.key, revision: slot.revision, data: slot.data };

  return {
    async applyIfNewer(event) {
      const change = recordChangeOf(event);
      if (!change) return 'no-record';
      if (change.is === 'erase') {
        erased.add(change.userId);
        for (const [name, slot] of slots) if (slot.key.userId === change.userId) slots.delete(name);
        return 'applied';
      }
      const { key, revision } = change;
      if (erased.has(key.userId)) return 'erased';
      if (!isNewer(slots.get(nameOf(key))?.revision, revision)) return 'stale';
      slots.set(nameOf(key), { key, revision, data: change.is === 'replace' ? change.data : undefined });
      return 'applied';
    },
    get: (key) => held(slots.get(nameOf(key))),
    list: () =>
      [...slots]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, slot]) => held(slot))
        .filter((record) => record !== undefined),
  };
}

function nameOf(key: RecordKey): string {
  return JSON.stringify([key.userId, key.provider, key.metric, key.sourceId, key.item]);
}
