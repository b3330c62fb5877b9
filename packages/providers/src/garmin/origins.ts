import type { Origins } from '../provider.js';

export const garminOrigins: Origins = {
  api: 'https://apis.garmin.com',
  authorize: 'https://connect.garmin.com',
  token: 'https://diauth.garmin.com',
};
