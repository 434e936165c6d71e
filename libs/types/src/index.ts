export { authorOf, reachOf, scopes, seesGroup, type Admission, type Caller, type Scope } from './caller';
export { accessOf, type AccountAccess, type Credentials, type LiveCredentials } from './credentials';
export type { InstallationContext } from './installation-context';
export {
  callTransitions,
  operationTransitions,
  recordOutcomes,
  statusOf,
  type CallState,
  type OperationState,
  type OperationStatus,
  type RecordOutcome,
  type SendState,
  type Transition,
} from './operation';
export { hoursToMs, minutesToMs } from './limits';
export type { WriteAnnouncement } from './write-announcement';
export { isHostileName, pathOf } from './field-names';
export { fieldSteps } from './field-names';
export { normalFieldName, type FieldNameForm } from './field-names';
export { joinList, listItemRule } from './list-items';
export { fieldMappings, type FieldMappings } from './field-mappings';
export { toDeliveredValue, toProviderValue, valueMappings, type ValueMappings } from './field-mappings';
export type { FieldDecision, PlanNote, WritePlan } from './write-plan';
export type { JsonValue } from './write-request';
export {
  apiKeySchema,
  createApiKeyRequestSchema,
  updateApiKeyRequestSchema,
  type ApiKey,
  type CreateApiKeyRequest,
  type UpdateApiKeyRequest,
} from './api-key';
export { applyUpdateMask, withObject } from './update-mask';
export { configSchema, type Config } from './config';
export { configVersionSchema, type ConfigVersion } from './config';
export { diffJson } from './json-diff';
export {
  firstWithin,
  idOfPageToken,
  jsonBytes,
  pageProperties,
  pageTokenOf,
  type BoundedPage,
  type Page,
  type PageQuery,
} from './page';
export {
  configContentSchema,
  updateConfigContentSchema,
  type ConfigContent,
  type UpdateConfigContent,
} from './config-content';
export { checkConfigContent } from './config-content';
export {
  authSchemes,
  connectionSchema,
  connectionStatuses,
  metadataValues,
  type AuthScheme,
  type Connection,
  type ConnectionStatus,
  type OAuth2AuthorizationCode,
  type OAuth2Token,
  type ProviderMetadataItem,
} from './connection';
export {
  authSchemeOf,
  checkConnectionCredentials,
  credentialMemberOf,
  credentialMembersFor,
  credentialsOf,
  type CredentialMember,
} from './connection-credentials';
export {
  connectionUpdatePaths,
  generateConnectionRequestSchema,
  updateConnectionRequestSchema,
  type ConnectionRequest,
  type GenerateConnectionRequest,
  type UpdateConnectionRequest,
} from './connection-request';
export { checkUpdateConnectionRequest, maskedConnection } from './connection-update-rules';
export { consumerSchema, type Consumer } from './consumer';
export { groupSchema, type Group } from './group';
export {
  hydratedRevisionSchema,
  type HydratedField,
  type HydratedIntegration,
  type HydratedReadObject,
  type HydratedRevision,
  type HydratedWriteObject,
} from './hydrated-revision';
export { healthStatuses, installationSchema, type HealthStatus, type Installation } from './installation';
export {
  createInstallationRequestSchema,
  patchConfigContentRequestSchema,
  updateInstallationRequestSchema,
  type CreateInstallationRequest,
  type JsonPatchOperation,
  type PatchConfigContentRequest,
  type UpdateInstallationRequest,
} from './installation-request';
export {
  checkCreateInstallationRequest,
  checkPatchConfigContentRequest,
  checkUpdateInstallationRequest,
  type FindNearest,
} from './installation-rules';
export {
  createIntegrationRequestSchema,
  deployManifestRequestSchema,
  integrationSchema,
  revisionSchema,
  type CreateIntegrationRequest,
  type DeployManifestRequest,
  type Integration,
  type Revision,
} from './integration';
export type { IntegrationField } from './integration-field';
export { checkCreateIntegrationRequest } from './integration';
export { applyJsonPatch, type Patched } from './json-patch';
export { memberName, nameText, type Described, type JsonSchema } from './json-schema';
export {
  createJwtKeyReplySchema,
  createJwtKeyRequestSchema,
  jwtKeySchema,
  updateJwtKeyRequestSchema,
  type CreateJwtKeyReply,
  type CreateJwtKeyRequest,
  type JwtKey,
  type UpdateJwtKeyRequest,
} from './jwt-key';
export { limits } from './limits';
export {
  manifestIntegrationSchema,
  manifestSchema,
  type Manifest,
  type ManifestIntegration,
  type ManifestReadObject,
  type ManifestWriteObject,
} from './manifest';
export { checkManifest, checkManifestIntegration } from './manifest';
export {
  logSchema,
  operationListReplySchema,
  operationSchema,
  paginationSchema,
  type Log,
  type LogMessage,
  type Operation,
  type OperationListReply,
  type OperationMetadata,
  type Pagination,
} from './operation';
export { objectMetadataSchema, type FieldMetadata, type FieldValueType, type ObjectMetadata } from './object-metadata';
export {
  operationExplanationSchema,
  type ExplainedAttempt,
  type ExplainedCall,
  type ExplainedPlan,
  type ExplainedRecord,
  type OperationExplanation,
} from './operation-explanation';
export type { ExportedAttempt, ExportedCall, ExportedRecord, OperationExport } from './operation-explanation';
export {
  operationRecordListReplySchema,
  type OperationRecord,
  type OperationRecordListReply,
} from './operation-record';
export { operationProgressSchema, type OperationPhase, type OperationProgress } from './operation-progress';
export { laneCallsMax, laneListReplySchema, laneSchema, type Lane, type LaneCalls, type LaneListReply } from './lane';
export {
  apiProblemSchema,
  inputValidationProblemSchema,
  type ApiProblem,
  type InputValidationProblem,
} from './problem';
export {
  createProjectRequestSchema,
  projectNameOf,
  projectSchema,
  updateProjectRequestSchema,
  type CreateProjectRequest,
  type Project,
  type UpdateProjectRequest,
} from './project';
export { checkCreateProjectRequest, checkUpdateProjectRequest } from './project';
export {
  createProviderAppRequestSchema,
  providerAppSchema,
  updateProviderAppRequestSchema,
  type CreateProviderAppRequest,
  type ProviderApp,
  type ProviderAppMetadata,
  type UpdateProviderAppRequest,
} from './provider-app';
export { providerCatalogueSchema, providerInfoSchema, type ProviderInfo, type ProviderSupport } from './provider-info';
export { publishConfigContent, publishInstallation } from './publish-contents';
export { parameterMeanings, type ParameterMeaning } from './parameters';
export { publishIntegration, publishManifestIntegration } from './publish-contents';
export {
  readObjectConfigSchema,
  type Backfill,
  type DynamicMapping,
  type MappedValue,
  type ReadFilter,
  type ReadObjectConfig,
} from './read-config';
export { recordIdOf } from './record-id';
export {
  searchReplySchema,
  searchRequestSchema,
  type SearchFilter,
  type SearchReply,
  type SearchRequest,
  type SearchResultItem,
} from './search';
export { parseMaskPath, type MaskAction, type MaskPath } from './update-mask';
export {
  checkNamedWorkspace,
  metadataBytes,
  namedWorkspace,
  shownMetadata,
  withNamedWorkspace,
  workspaceInput,
} from './workspace-metadata';
export { checkWorkspaceRef, isSameWorkspace } from './workspace-metadata';
export {
  fieldDefaultValue,
  writeObjectConfigSchema,
  type FieldDefault,
  type FieldSettings,
  type ValueDefault,
  type WriteObjectConfig,
} from './write-config';
export type { AutoBatchPolicy, BatchPolicy, RetryPolicy } from './write-policies';
export type {
  AcceptedWriteReply,
  BatchWriteReply,
  BatchDryRunReply,
  DryRunReply,
  RefusedWriteReply,
  SingleWriteReply,
  WriteErrorMessage,
  WriteResult,
} from './write-reply';
export {
  acceptedWriteReplySchema,
  batchWriteReplySchema,
  batchDryRunReplySchema,
  dryRunReplySchema,
  refusedWriteReplySchema,
  singleWriteReplySchema,
} from './write-reply';
export {
  writeModes,
  writeRequestSchema,
  writeTypes,
  type Association,
  type AssociationType,
  type BatchItem,
  type ForwardedHeader,
  type WriteMode,
  type WriteRecord,
  type WriteRequest,
  type WriteType,
} from './write-request';
export { checkWriteRequest, codeOfWriteIssues } from './write-request-rules';
export { oauthConnectRequestSchema, oauthStateLifeMs, type OAuthConnectRequest } from './oauth-connect-request';
export { checkForwardedHeaders } from './write-request-rules';
export {
  filtersFor,
  webhookFiltersDefault,
  type WebhookEvent,
  type WebhookEventType,
  type WebhookFilter,
} from './webhook-event';
export {
  createdWebhookEndpointSchema,
  createWebhookEndpointRequestSchema,
  updateWebhookEndpointRequestSchema,
  webhookEndpointSchema,
  webhookEndpointsMax,
  webhookSecretSchema,
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpointRequest,
  type UpdateWebhookEndpointRequest,
  type WebhookEndpoint,
  type WebhookSecret,
} from './webhook-endpoint';
export {
  webhookAttemptClasses,
  webhookAttemptSchema,
  webhookMessageListReplySchema,
  webhookMessageSchema,
  webhookMessageStates,
  webhookMessageWithPayloadSchema,
  webhookReplayReplySchema,
  type WebhookAttempt,
  type WebhookAttemptClass,
  type WebhookMessage,
  type WebhookMessageListReply,
  type WebhookMessageState,
  type WebhookMessageWithPayload,
  type WebhookReplayReply,
} from './webhook-message';
export { webhookHoldMsMax, webhookPauseMs } from './webhook-endpoint';
export { signedUrlSchema, type SignedUrl } from './signed-url';
