export {
  SluiceApiError,
  SluiceAuthenticationError,
  SluiceConflictError,
  SluiceConnectionError,
  SluiceForbiddenError,
  SluiceNotFoundError,
  SluiceRateLimitError,
  SluiceRecordError,
  SluiceRequestError,
  SluiceServerError,
} from './api-error';
export { createSluiceClient, type ClientOptions, type SluiceClient } from './create-client';
export type { EnsureInstallationOptions } from './ensure-installation';
export type { ManagementOperations } from './generated/management';
export type { SearchOperations } from './generated/search';
export type * from './generated/types';
export type { WriteOperations } from './generated/write';
export type { IteratingApi } from './iterate-pages';
export { finishConnect, openConnect, type ConnectResult, type OpenConnectOptions } from './open-connect';
export type { Api, CallOptions, RawApi, Reply } from './operation-shape';
export { readExplanation } from './read-explanation';
export { SluiceWebhookError, verifyWebhook, type VerifyOptions, type WebhookHeaders } from './verify-webhook';
export { SluiceTimeoutError, type WaitOptions } from './wait-for-operation';
export type { WriteApi } from './write-api';
