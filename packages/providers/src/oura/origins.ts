import type { Origins } from '../provider.js';

export const ouraOrigins: Origins = {
  api: 'https://api.ouraring.com',
  authorize: 'https://cloud.ouraring.com',
  token: 'https://api.ouraring.com',
};
