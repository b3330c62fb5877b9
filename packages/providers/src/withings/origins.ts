import type { Origins } from '../provider.js';

export const withingsOrigins: Origins = {
  api: 'https://wbsapi.withings.net',
  authorize: 'https://account.withings.com',
  token: 'https://wbsapi.withings.net',
};
