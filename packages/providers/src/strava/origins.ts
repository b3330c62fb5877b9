import type { Origins } from '../provider.js';

export const stravaOrigins: Origins = {
  api: 'https://www.strava.com',
  authorize: 'https://www.strava.com',
  token: 'https://www.strava.com',
};
