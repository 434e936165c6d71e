import { readFileSync } from 'node:fs';
import * as types from './index';
import type { Described } from './index';

/** Without `readonly`, and with the members of intersections in one object, at every depth. */
type Comparable<T> = T extends readonly (infer Item)[]
  ? Comparable<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Comparable<T[Name]> }
    : T;

// oxlint-disable-next-line no-unnecessary-type-parameters -- how the compiler is made to compare two types exactly
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Paths of the members in which two comparable types differ; `[]` is an item of a list. */
type Differences<A, B, Path extends string = ''> =
  IsSame<A, B> extends true
    ? never
    : [A, B] extends [readonly (infer ItemA)[], readonly (infer ItemB)[]]
      ? Differences<ItemA, ItemB, `${Path}[]`>
      : [A, B] extends [object, object]
        ? {
            [Name in (keyof A | keyof B) & string]: Name extends keyof A & keyof B
              ? IsSame<Pick<A, Name>, Pick<B, Name>> extends true
                ? never
                : IsSame<A[Name], B[Name]> extends true
                  ? `${Path}.${Name}?`
                  : Differences<A[Name], B[Name], `${Path}.${Name}`>
              : `${Path}.${Name}`;
          }[(keyof A | keyof B) & string]
        : Path;

/** `true`, or the paths in which a schema and an interface differ beyond those that are known to. */
type Same<Schema, T, Known extends string = never> =
  IsSame<Differences<Comparable<Described<Schema>>, Comparable<T>>, Known> extends true
    ? true
    : { readonly differ: Differences<Comparable<Described<Schema>>, Comparable<T>> };

type Assert<Check extends true> = Check;

// One line per schema: it does not compile when schema and interface differ. The error names the paths.
type Compared = [
  Assert<Same<typeof types.installationHealthListReplySchema, types.InstallationHealthListReply>>,
  Assert<Same<typeof types.configContentSchema, types.ConfigContent>>,
  Assert<Same<typeof types.updateConfigContentSchema, types.UpdateConfigContent>>,
  Assert<Same<typeof types.configSchema, types.Config>>,
  Assert<Same<typeof types.connectionSchema, types.Connection>>,
  Assert<Same<typeof types.consumerSchema, types.Consumer>>,
  Assert<Same<typeof types.groupSchema, types.Group>>,
  Assert<Same<typeof types.installationSchema, types.Installation>>,
  Assert<Same<typeof types.revisionSchema, types.Revision, '.specVersion'>>,
  Assert<Same<typeof types.integrationSchema, types.Integration, '.latestRevision.specVersion'>>,
  Assert<Same<typeof types.laneListReplySchema, types.LaneListReply, '.results[].lastFailure'>>,
  Assert<Same<typeof types.manifestIntegrationSchema, types.ManifestIntegration>>,
  Assert<Same<typeof types.manifestSchema, types.Manifest, '.specVersion'>>,
  Assert<
    Same<
      typeof types.operationExplanationSchema,
      types.OperationExplanation,
      `.calls[].attempts[].${'error' | 'isLate'}` | '.records[].error' | '.records[].problems'
    >
  >,
  Assert<
    Same<
      typeof types.operationRecordListReplySchema,
      types.OperationRecordListReply,
      '.results[].error' | '.results[].problems'
    >
  >,
  Assert<Same<typeof types.recordProblemSchema, types.RecordProblem, '.value'>>,
  Assert<Same<typeof types.operationSchema, types.Operation>>,
  Assert<Same<typeof types.operationListReplySchema, types.OperationListReply>>,
  Assert<Same<typeof types.projectSchema, types.Project>>,
  Assert<Same<typeof types.providerAppSchema, types.ProviderApp>>,
  Assert<Same<typeof types.readObjectConfigSchema, types.ReadObjectConfig>>,
  Assert<
    Same<typeof types.searchReplySchema, types.SearchReply, `.results[].${'fields' | 'mappedFields' | 'raw'}.${string}`>
  >,
  Assert<
    Same<
      typeof types.webhookMessageWithPayloadSchema,
      types.WebhookMessageWithPayload,
      '.payload.version' | `.payload.data.${string}`
    >
  >,
  Assert<Same<typeof types.webhookMessageListReplySchema, types.WebhookMessageListReply>>,
  Assert<Same<typeof types.writeObjectConfigSchema, types.WriteObjectConfig>>,
  Assert<Same<typeof types.acceptedWriteReplySchema, types.AcceptedWriteReply>>,
  Assert<Same<typeof types.singleWriteReplySchema, types.SingleWriteReply, '.result.data' | '.result.problems'>>,
  Assert<
    Same<
      typeof types.refusedWriteReplySchema,
      types.RefusedWriteReply,
      `.result.${'data' | 'errors' | 'problems' | 'recordId' | 'success' | 'warnings'}` | '.problems[].value'
    >
  >,
  Assert<Same<typeof types.batchWriteReplySchema, types.BatchWriteReply, '.results[].data' | '.results[].problems'>>,
  Assert<Same<typeof types.dryRunReplySchema, types.DryRunReply, '.associations' | '.plan[].value'>>,
  Assert<
    Same<typeof types.batchDryRunReplySchema, types.BatchDryRunReply, '.plans[].associations' | '.plans[].plan[].value'>
  >,
  Assert<Same<typeof types.writeRequestSchema, types.WriteRequest, '.batch' | '.record'>>,
];

/** Their types are inferred of them. */
const inferred = [
  'createApiKeyRequestSchema',
  'updateApiKeyRequestSchema',
  'createJwtKeyRequestSchema',
  'createJwtKeyReplySchema',
  'updateJwtKeyRequestSchema',
  'createProjectRequestSchema',
  'updateProjectRequestSchema',
  'createProviderAppRequestSchema',
  'updateProviderAppRequestSchema',
  'createWebhookEndpointRequestSchema',
  'updateWebhookEndpointRequestSchema',
  'webhookSecretSchema',
  'webhookReplayReplySchema',
  'webhookAttemptSchema',
  'deployManifestRequestSchema',
  'signedUrlSchema',
  'oauthConnectRequestSchema',
  'createConnectSessionRequestSchema',
  'connectSessionSchema',
  'connectAuthorizationSchema',
  'connectCredentialsSchema',
  'connectChoicesSchema',
  'generateConnectionRequestSchema',
  'updateConnectionRequestSchema',
  'createInstallationRequestSchema',
  'updateInstallationRequestSchema',
  'patchConfigContentRequestSchema',
  'overviewSchema',
  'installationHealthSchema',
  'logSchema',
  'searchRequestSchema',
  'webhookMessageSchema',
  'paginationSchema',
  'createdWebhookEndpointSchema',
  'webhookEndpointSchema',
  'objectMetadataSchema',
  'jwtKeySchema',
  'apiKeySchema',
  'authoredConfigSchema',
  'configVersionSchema',
  'hydratedRevisionSchema',
  'createIntegrationRequestSchema',
  'manifestPreviewSchema',
  'laneSchema',
  'operationProgressSchema',
  'apiProblemSchema',
  'inputValidationProblemSchema',
  'providerInfoSchema',
  'groupHealthSchema',
  'groupCountsSchema',
  'groupHealthListReplySchema',
];

// `providerCatalogueSchema` maps names to `ProviderInfo`.
it('compares every schema that the package exports with an interface, unless its type is inferred', () => {
  const count: Compared['length'] = 32;
  const text = readFileSync(__filename, 'utf8');
  const schemas = Object.keys(types).filter((name) => name.endsWith('Schema') && name !== 'providerCatalogueSchema');
  expect(schemas).toHaveLength(count + inferred.length);
  const compared = schemas.filter((name) => text.includes(` types.${name},`));
  expect([...compared, ...inferred].toSorted()).toEqual(schemas.toSorted());
});
