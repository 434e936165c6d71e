export type { Capabilities, Connector, ConnectorRegistry, FieldCapabilities, Limited } from './connector';
export { createConnectors, type ConnectorsOptions, type ProviderUrls } from './registry';
export type {
  Auth,
  BatchCreate,
  BatchRead,
  BatchUpdate,
  BatchWrite,
  CreateWrite,
  DeleteWrite,
  Fields,
  FindCreated,
  ObjectCall,
  ObservedExchange,
  ObservedQuota,
  ProviderCall,
  SearchRequest,
  SingleWrite,
  TokenRefresh,
  UpdateWrite,
} from './requests';
export type {
  CreatedMatch,
  FoundCreated,
  FreshTokens,
  ProviderFailure,
  ProviderRecord,
  RecordResult,
  Workspace,
} from './results';
