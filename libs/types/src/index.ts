// A module is public as a whole, unless its names are listed.
export * from './api-key';
export * from './caller';
export * from './config';
export * from './config-content';
export {
  authSchemes,
  connectionSchema,
  connectionStatuses,
  metadataValues,
  statusEvent,
  type AuthScheme,
  type Connection,
  type ConnectionStatus,
  type OAuth2AuthorizationCode,
  type OAuth2Token,
  type ProviderMetadataItem,
} from './connection';
export * from './connection-credentials';
export * from './connection-request';
export * from './credentials';
export { failedRecordLine, failedRecordsHeader } from './csv';
export * from './field-mappings';
export {
  fieldNameOf,
  fieldSteps,
  isHostileName,
  jsonPathFault,
  memberAt,
  nestedField,
  normalFieldName,
  pathOf,
  withMemberAt,
  withoutMemberAt,
  type FieldNameForm,
  type FieldOf,
} from './field-names';
export * from './group';
export * from './hydrated-revision';
export * from './installation';
export * from './installation-context';
export * from './installation-health';
export * from './installation-request';
export * from './installation-rules';
export * from './integration';
export { type IntegrationField } from './integration-field';
export * from './json-diff';
export { applyJsonPatch, pointerSteps, type Patched } from './json-patch';
export { memberName, nameText, type Described, type JsonSchema } from './json-schema';
export * from './jwt-key';
export {
  laneCallsMax,
  laneListReplySchema,
  laneSchema,
  type HeldConnection,
  type Lane,
  type LaneCalls,
  type LaneListReply,
  type LastFailure,
} from './lane';
export * from './lane-state';
export * from './limits';
export * from './list-items';
export * from './manifest';
export * from './manifest-preview';
export * from './oauth-connect-request';
export {
  fieldValueTypes,
  objectMetadataSchema,
  type FieldMetadata,
  type FieldValueType,
  type ObjectMetadata,
} from './object-metadata';
export * from './overview';
export {
  logSchema,
  operationListReplySchema,
  operationSchema,
  paginationSchema,
  statusOf,
  type CallState,
  type Log,
  type LogMessage,
  type Operation,
  type OperationListReply,
  type OperationMetadata,
  type OperationState,
  type OperationStatus,
  type Pagination,
  type RecordOutcome,
  type SendState,
  recordOutcomes,
} from './operation';
export * from './operation-explanation';
export { operationProgressSchema, type OperationPhase, type OperationProgress } from './operation-progress';
export * from './operation-record';
export * from './problem-groups';
export * from './record-problem';
export * from './page';
export * from './parameters';
export {
  apiProblemSchema,
  inputValidationProblemSchema,
  type ApiProblem,
  type InputValidationProblem,
} from './problem';
export * from './project';
export * from './provider-app';
export { providerCatalogueSchema, providerInfoSchema, type ProviderInfo, type ProviderSupport } from './provider-info';
export * from './publish-contents';
export * from './read-config';
export * from './record-timeline';
export {
  countMembers,
  isAllWellFormed,
  depthMax,
  endOfString,
  isExactNumber,
  isLongString,
  membersMax,
  nameFault,
  scanJson,
  usualBounds,
  type JsonBounds,
  type JsonScan,
} from './scan-json';
export * from './search';
export * from './update-mask';
export * from './webhook-endpoint';
export {
  filtersFor,
  webhookFilters,
  webhookFiltersDefault,
  type WebhookEvent,
  type WriteDoneEvent,
  type WebhookEventType,
  type WebhookFilter,
} from './webhook-event';
export * from './webhook-message';
export * from './wording';
export * from './workspace-metadata';
export * from './write-announcement';
export * from './write-config';
export * from './write-plan';
export { type AutoBatchPolicy, type BatchPolicy, type RetryPolicy } from './write-policies';
export * from './write-reply';
export * from './write-request';
