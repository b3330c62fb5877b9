import { garmin } from './garmin/provider.js';
import { google } from './google/provider.js';
import { oura } from './oura/provider.js';
import { polar } from './polar/provider.js';
import type { InboundProvider, Provider } from './provider.js';
import { standardWebhooks } from './standard-webhooks/provider.js';
import { strava } from './strava/provider.js';
import { whoop } from './whoop/provider.js';
import { withings } from './withings/provider.js';

/** Every provider whose webhooks we take; its id is the word in our URLs. */
export const inboundProviders: readonly InboundProvider[] = [garmin, google, oura, polar, standardWebhooks, strava, whoop, withings];

/** Those of them whose data we also read. */
export const providers: readonly Provider[] = [garmin, google, oura, polar, strava, whoop, withings];

const inboundById: ReadonlyMap<string, InboundProvider> = new Map(inboundProviders.map((provider) => [provider.id, provider]));
const byId: ReadonlyMap<string, Provider> = new Map(providers.map((provider) => [provider.id, provider]));

export function findInboundProvider(id: string): InboundProvider | undefined {
  return inboundById.get(id);
}

export function findProvider(id: string): Provider | undefined {
  return byId.get(id);
}
