// A module is public as a whole, unless its names are listed.
export * from './api-key';
export * from './caller';
export * from './config';
export * from './config-changes';
export * from './config-content';
export * from './config-update';
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
export * from './connect-session';
export * from './connection-credentials';
export * from './connection-request';
export * from './credentials';
export * from './csv';
export * from './field-mappings';
export * from './field-names';
export * from './group';
export * from './group-health';
export * from './hydrated-revision';
export { identifiedBy, nameOfRecord, type IdentifiedBy } from './identified-by';
export * from './installation';
export * from './installation-context';
export * from './installation-health';
export * from './installation-request';
export * from './installation-rules';
export * from './integration';
export { type IntegrationField } from './integration-field';
export * from './json-diff';
export * from './json-patch';
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
export * from './line-diff';
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
export * from './operation';
export * from './operation-explanation';
export * from './operation-progress';
export * from './operation-record';
export * from './problem-groups';
export * from './record-problem';
export * from './page';
export * from './parameters';
export * from './problem';
export * from './project';
export * from './provider-app';
export * from './provider-info';
export * from './publish-contents';
export * from './read-config';
export * from './record-timeline';
export * from './scan-json';
export * from './search';
export * from './update-mask';
export * from './webhook-endpoint';
export * from './webhook-event';
export * from './webhook-message';
export * from './wording';
export * from './workspace-metadata';
export * from './write-announcement';
export * from './write-config';
export * from './write-plan';
export { type AutoBatchPolicy, type BatchPolicy, type RetryPolicy } from './write-policies';
export * from './write-reply';
export * from './write-request';
