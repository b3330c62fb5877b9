import { provesClaimStore } from '../testing/store-suite.js';
import { memoryStore } from './claim-store.memory.js';

let now = Date.parse('2026-11-30T07:00:00Z');
const store = memoryStore(() => now);

provesClaimStore('the memory store', () => ({
  stores: [store, store],
  pass: async (ms) => void (now += ms),
  age: async (days) => {
    now += days * 86_400_000;
    return 0;
  },
}));
