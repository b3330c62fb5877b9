import type { Origins } from '../provider.js';

export const polarOrigins: Origins = {
  api: 'https://www.polaraccesslink.com',
  authorize: 'https://flow.polar.com',
  token: 'https://polarremote.com',
};
