export { findProvider, providers } from './registry.js';
export {
  MalformedDelivery, ProviderUnreachable, type AppForVerification, type ClientCredentials, type CollectionFacts, type FetchContext,
  type Grade, type Grant, type GrantOutcome, type IngestOutcome, type LiveSecret, type OAuth, type Origins, type ParsedDelivery,
  type Provider, type ProviderFacts, type ProviderHttp, type ProviderReply, type RefusalCode, type SecretPurpose, type Subscriptions,
  type Verification,
} from './provider.js';
export type { Answer, RawRequest } from './raw-request.js';
