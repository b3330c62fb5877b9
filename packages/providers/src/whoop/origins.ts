import type { Origins } from '../provider.js';

export const whoopOrigins: Origins = {
  api: 'https://api.prod.whoop.com',
  authorize: 'https://api.prod.whoop.com',
  token: 'https://api.prod.whoop.com',
};
