export type { Capabilities, Connector, ConnectorRegistry, Limited } from './connector';
export { createConnectors, type ConnectorsOptions } from './registry';
export type {
  Auth,
  BatchCreate,
  BatchRead,
  BatchUpdate,
  BatchWrite,
  CreateWrite,
  Fields,
  FindCreated,
  ObjectCall,
  ObservedExchange,
  ObservedQuota,
  ProviderCall,
  SearchRequest,
  SingleWrite,
  UpdateWrite,
} from './requests';
export type { CreatedMatch, FoundCreated, ProviderFailure, ProviderRecord, RecordResult, Workspace } from './results';
