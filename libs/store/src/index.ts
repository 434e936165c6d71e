export { openDatabase, type DatabaseLimits } from './database';
export { migrations } from './migrations';
export type { ApiKeyChange, ApiKeyStore, NewApiKey } from './projects/api-key-store';
export type { ConnectionChange, NewCredentials } from './connections/change-connection';
export type { ConnectionKey, RefreshedTokens, TokenVersion } from './connections/connection-tokens';
export type { ConnectionFilter, ConnectionStore, NewConnection } from './connections/connection-store';
export type { StoredCredentials } from './connections/connection-tokens';
export type { SealedCredentials } from './sealed-secrets';
export type {
  InstallationIds,
  InstallationLookup,
  InstallationNames,
  LookupResult,
} from './installations/installation-lookup';
export type {
  ChangeableInstallation,
  ChangedInstallation,
  InstallationKey,
  ReviseInstallation,
} from './installations/change-installation';
export type { InstallationFilter, InstallationStore, NewInstallation } from './installations/installation-store';
export type { IntegrationStore, StoredRevision } from './integrations/integration-store';
export type { JwtKeyChange, JwtKeyStore, NewJwtKey } from './projects/jwt-key-store';
export type { NewOAuthState, OAuthState, OAuthStateStore } from './connections/oauth-state-store';
export type { NewUpload, Upload, UploadKey, UploadStore } from './integrations/upload-store';
export type { OperationEvent, OperationEventKind } from './operations/operation-history';
export type { LaneStore, StoredLane } from './connections/lane-store';
export type { OperationStore } from './operations/operation-store';
export type { Erasure } from './projects/erase-project';
export type { ProjectChange, ProjectStore } from './projects/project-store';
export type {
  ClientOfApp,
  NewProviderApp,
  ProviderAppChange,
  ProviderAppStore,
} from './connections/provider-app-store';
export type { ConfigStore, ConfigWithPrevious } from './installations/config-store';
export {
  secretNouns,
  type SealedByKey,
  type SealedSecret,
  type SealedSecretStore,
  type SecretNoun,
} from './sealed-secrets';
export { momentOf, newId } from './new-id';
export type { BacklogOf, ProjectBacklog, Waiting } from './writes/count-backlog';
export { createStore, migrateDatabase, type Store, type StoreOptions } from './store';
export type { AcceptAnswer } from './writes/accept-persistently';
export type { AcceptableWrite } from './writes/accept-writes';
export type { Claim } from './writes/claim-calls';
export type { ClaimRequest } from './writes/take-calls';
export type { ClaimedCall } from './writes/take-calls';
export {
  cancelledError,
  type CancelledCall,
  type CancelledPlace,
  type CancelledRecord,
} from './writes/claim-cancelled';
export type { Page, Step } from './writes/find-ready-lanes';
export type { SampledLane } from './writes/sample-lanes';
export type { LaneKey } from './writes/lane-room';
export type { KeptKey, KeptReply, KeyClaim, KeyEnding } from './writes/idempotency-key';
export type { BatchMembership } from './writes/join-batch';
export type { BatchableWrite } from './writes/join-statement';
export type { JoinAnswer } from './writes/join-persistently';
export type { EndedRecord, KeyName } from './writes/kept-keys';
export { uninstalledError } from './writes/end-uninstalled';
export type { HeldCall, LapsedCall } from './writes/leases';
export type { PendingRecord, PendingSize } from './writes/load-records';
export type { Opening, SynchronousWrite } from './writes/open-synchronous';
export type { OverdueCall } from './writes/overdue';
export type { Doubt, Evidence } from './writes/reconciliation';
export { callId } from './writes/call-key';
export type { Intent } from './writes/record-intents';
export type { WaitingCall } from './writes/repair-order';
export type { Replay, Replaying, ReplayRefusal } from './writes/replay-records';
export type { PlannedCall, SealedBatch, SealedCall, SealedRecord, Sealing } from './writes/seal-batch';
export type {
  AttemptOutcome,
  EndedOperation,
  RecordError,
  RecordSettlement,
  ReleasedCall,
  Settled,
  Settlement,
  SettlingAnswer,
  Split,
} from './writes/settlement';
export { bytesOfPlans, type CallKey, type NewOperation, type NewRecord, type Pins } from './writes/write-rows';
export type { WriteStore } from './writes/write-store';
export type { ClaimedMessage, DueEndpoint, MessageClaim } from './webhooks/claim-messages';
export type {
  NewWebhookEndpoint,
  StoredSecret,
  WebhookEndpointChange,
  WebhookEndpointStore,
} from './webhooks/endpoint-store';
export type { EndpointKey } from './webhooks/claim-messages';
export type { MessageFilter, MessageKey, WebhookMessageStore } from './webhooks/message-store';
export type { AttemptEnd, SettledAttempt } from './webhooks/settle-attempt';
