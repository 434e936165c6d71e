export { coalesce, groupCommit, sharedRead, sharedStatement } from './coalesce';
export type { StoredConnectSession } from './connections/connect-session-store';
export type { ConnectionChange, KnownAccount, UsedConnection } from './connections/connection-store';
export type { ConfirmedCredentials, StoredCredentials } from './connections/connection-row';
export type { ConnectionKey, RefreshedTokens } from './connections/connection-tokens';
export type { StoredLane } from './connections/lane-store';
export type { OAuthState } from './connections/oauth-state-store';
export type { ClientOfApp, ProviderAppChange } from './connections/provider-app-store';
export { openDatabase, type DatabaseLimits } from './database';
export type { ChangeableInstallation, ChangedInstallation, InstallationKey } from './installations/change-installation';
export type {
  AccountLookup,
  AccountNames,
  InstallationIds,
  InstallationNames,
  LookupResult,
} from './installations/installation-lookup';
export type { Upload, UploadKey } from './integrations/upload-store';
export { migrations } from './migrations';
export type { OpenRecords } from './operations/count-open-records';
export type { StoredFigures, StoredOverview, StoredRecords } from './minutes';
export { momentOf, newId } from './new-id';
export type { FailuresFirstPosition } from './operations/failures-first';
export type { TextPosition, TextSearch } from './operations/find-by-text';
export type { OpenSearch } from './operations/find-open';
export type { OperationSearch } from './operations/find-operations';
export type { GroupPart, GroupPosition } from './installations/group-health';
export type { EventPosition, OperationEvent, OperationEventKind } from './operations/operation-history';
export type { Erasure } from './projects/erase-project';
export {
  secretNouns,
  type SealedByKey,
  type SealedCredentials,
  type SealedSecret,
  type SecretNoun,
} from './sealed-secrets';
export { createStore, migrateDatabase, type Store } from './store';
export type { ClaimedMessage, DueEndpoint, EndpointKey, MessageClaim } from './webhooks/claim-messages';
export type { WebhookEndpointChange } from './webhooks/endpoint-store';
export type { AttemptEnd } from './webhooks/settle-attempt';
export type { AcceptableWrite, AcceptAnswer } from './writes/accept-writes';
export { callId } from './writes/write-rows';
export type { Claim } from './writes/claim-calls';
export { cancelledError, type CancelledCursor } from './writes/claim-cancelled';
export type { BacklogOf, Waiting } from './writes/count-backlog';
export { uninstalledError } from './writes/end-uninstalled';
export type { Page, Step } from './writes/find-ready-lanes';
export type { EndedRecord, StoredKey, StoredReply, KeyClaim, KeyEnding } from './writes/idempotency-key';
export type { JoinAnswer } from './writes/join-batch';
export type { BatchableWrite, BatchMembership } from './writes/join-statement';
export type { LaneKey } from './writes/lanes';
export type { HeldCall } from './writes/leases';
export type { PendingRecord } from './writes/load-records';
export type { Opening, SynchronousWrite } from './writes/open-synchronous';
export type { OverdueCall } from './writes/overdue';
export type { Doubt, Evidence } from './writes/doubt';
export type { Intent } from './writes/record-intents';
export type { WaitingCall } from './writes/order-queue';
export type { Replaying, ReplayRefusal } from './writes/replay-records';
export type { SampledLane } from './writes/sample-lanes';
export type { PlannedCall, SealedBatch, SealedRecord } from './writes/seal-batch';
export type {
  AttemptOutcome,
  RecordError,
  RecordSettlement,
  ReleasedCall,
  Settled,
  Settlement,
  SettledTogether,
  SettlingAnswer,
  Split,
} from './writes/settlement';
export type { BatchKey } from './writes/close-batch';
export type { ClaimedCall, ClaimRequest } from './writes/take-calls';
export { bytesOfPlans, type CallKey, type NewOperation, type NewRecord, type OperationMode } from './writes/write-rows';
export type { WriteStore } from './writes/write-store';
