export { SluiceApiError, SluiceConnectionError } from './api-error';
export { createSluiceClient, type ClientOptions, type SluiceClient } from './create-client';
export type { ManagementOperations } from './generated/management';
export type { SearchOperations } from './generated/search';
export type { WriteOperations } from './generated/write';
export type { Api, CallOptions, RawApi, Reply } from './operation-shape';
export { SluiceTimeoutError, type WaitOptions } from './wait-for-operation';
