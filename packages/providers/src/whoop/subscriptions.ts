import type { Subscriptions } from '../provider.js';

/** WHOOP has no interface for it: the address, and model version v2, are typed into the settings of the app. */
export const whoopSubscriptions: Subscriptions = {
  ensure: async () => ({ created: 0, renewed: 0, present: 0 }),
};
