export type {
  Capabilities,
  CatalogueEntry,
  Connector,
  ConnectorRegistry,
  FieldCapabilities,
  Limited,
} from './connector';
export { fieldFault, fieldOfObject, providerInfo, unservedModule } from './connector';
export type { Declaration } from './declarative/declaration';
export { loadDeclarations, readConnectOnly } from './declarative/load-declarations';
export { readYaml, type YamlPosition } from './declarative/read-yaml';
export type { FailureRow } from './failure-table';
export { failureTables } from './failure-tables';
export { addressPolicy, type AddressPolicy } from './egress/address-policy';
export { createBoundedFetch } from './bounded-fetch';
export { egressRefused, guardedAgent } from './egress/guarded-connect';
export { createReplyRoom, type ReplyRoom } from './reply-body';
export { createConnectors, nearProviders, type ConnectorsOptions, type ProviderUrls } from './registry';
export type {
  AppClient,
  Auth,
  AuthorizationRequest,
  BatchCreate,
  BatchRead,
  BatchUpdate,
  BatchWrite,
  CodeExchange,
  CreateWrite,
  DeleteWrite,
  Fields,
  FindCreated,
  MayBeResend,
  ObjectCall,
  ObservedExchange,
  ObservedQuota,
  ProviderCall,
  QuotaName,
  SearchRequest,
  SingleWrite,
  TokenGrant,
  TokenRefresh,
  UpdateWrite,
} from './requests';
export { allRead } from './results';
export type {
  CreatedMatch,
  FoundCreated,
  FreshTokens,
  ProviderFailure,
  ProviderRecord,
  RecordPage,
  RecordRead,
  RecordResult,
  Workspace,
} from './results';
export { isOfSearch, loggableReason, toFailure } from './provider-call';
export { retryAfterMs } from './stated-wait';
export { exchange, type Exchange, type TappedExchange } from './http-client';
