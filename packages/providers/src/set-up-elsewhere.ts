import type { Subscriptions } from './provider.js';

/** For providers whose webhooks no client credentials can set up: it is done in their console, once, and nothing of it can be asked here. */
export const setUpElsewhere: Subscriptions = {
  per: 'console',
  ensure: async () => ({ created: 0, renewed: 0, present: 0 }),
};
