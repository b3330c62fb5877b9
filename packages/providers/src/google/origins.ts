import type { Origins } from '../provider.js';

export const googleOrigins: Origins = {
  api: 'https://health.googleapis.com',
  authorize: 'https://accounts.google.com',
  token: 'https://oauth2.googleapis.com',
};
