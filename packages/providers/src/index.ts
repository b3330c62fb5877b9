export { allowedOrigins, originsOf } from './origins.js';
export { type HistoryPart, historyParts } from './history-parts.js';
export { faultOfSecret } from './fault-of-secret.js';
export { isPermitted } from './is-permitted.js';
export { sweptCollections } from './swept-collections.js';
export { findInboundProvider, findProvider, inboundProviders, providers } from './registry.js';
export {
  MalformedDelivery,
  ProviderUnreachable,
  type AppForVerification,
  type BucketFacts,
  type BucketQuota,
  type ClientCredentials,
  type CollectionFacts,
  type EnsuredSubscriptions,
  type FetchContext,
  type Grade,
  type Grant,
  type GrantOutcome,
  type IngestOutcome,
  type LiveSecret,
  type OAuth,
  type Origins,
  type ParsedDelivery,
  type InboundProvider,
  type Provider,
  type ProbeAnswer,
  type ProviderDocs,
  type ProviderFacts,
  type ProviderHttp,
  type ProviderLimits,
  type ProviderReply,
  type RateRefusal,
  type RefusalCode,
  type RemoteKeys,
  type SecretPurpose,
  type Subscriptions,
  type Verification,
} from './provider.js';
export type { Answer, RawRequest } from './raw-request.js';
