import { sampleOf, type OpenApiDocument, type OpenApiOperation } from '@sluice/http';
import { generateKeyPairSync } from 'node:crypto';

/** One operation with a request that is valid, to be spoiled. */
export interface Endpoint {
  readonly name: string;
  readonly method: string;
  readonly origin: string;
  /** Path template of the document. */
  readonly template: string;
  /** Percent-encoded segments. */
  readonly segments: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** What the replies are judged by. */
  readonly document: OpenApiDocument;
}

/** Where the system under test is, and what stands in it. */
export interface Target {
  /** Origin and document of each API. */
  readonly apis: readonly { readonly origin: string; readonly document: OpenApiDocument }[];
  readonly projectId: string;
  readonly integrationId: string;
  readonly installationId: string;
  readonly connectionId: string;
  readonly operationId: string;
  readonly groupRef: string;
  readonly words: Words;
}

/** What a provider calls the object and the fields that are written. */
export interface Words {
  readonly provider: string;
  readonly people: string;
  readonly email: string;
  readonly lastname: string;
  /** Has the form of an id, and belongs to no record. */
  readonly absentId: string;
}

/** An id of the form that we give, of nothing that is there. */
const absentId = '01a1fb19-0000-7000-8000-000000000000';

/** Every operation of every document, each with at least one valid request: a new route is among them by itself. */
export function endpointsOf(target: Target): Endpoint[] {
  const given = validRequests(target);
  return target.apis.flatMap(({ origin, document }) =>
    Object.entries(document.paths).flatMap(([template, item]) =>
      Object.entries(item).flatMap(([method, operation]) => {
        const base = { name: operation.operationId, method: method.toUpperCase(), origin, template, document };
        const requests = given[operation.operationId] ?? [sampleRequest(operation, document)];
        return requests.map((request) => ({
          ...base,
          ...request,
          segments: segmentsOf(base, target),
        }));
      }),
    ),
  );
}

/** The least that the document says is needed. */
function sampleRequest({ parameters = [], requestBody }: OpenApiOperation, document: OpenApiDocument): ValidRequest {
  const { schemas } = document.components;
  const required = parameters.filter(({ in: where, required: isRequired }) => where === 'query' && isRequired);
  const schema = requestBody?.content['application/json']?.schema;
  return {
    query: Object.fromEntries(required.map(({ name, schema: of }) => [name, String(sampleOf(of, schemas, name))])),
    ...(schema === undefined ? {} : { body: sampleOf(schema, schemas) as object }),
  };
}

/** The target's own ids, except where a valid request would take away what the others need. */
function segmentsOf({ method, template }: Pick<Endpoint, 'method' | 'template'>, target: Target): string[] {
  const { projectId, integrationId, installationId, connectionId, operationId, words } = target;
  const ids: Readonly<Record<string, string>> = {
    projectIdOrName: projectId,
    integrationId,
    installationId,
    connectionId,
    operationId,
    objectName: words.people,
    provider: words.provider,
  };
  const last = [...template.matchAll(/\{(\w+)\}/g)].at(-1)?.[1];
  const valueOf = (name: string) => (method === 'DELETE' && name === last ? absentId : (ids[name] ?? absentId));
  const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => valueOf(name));
  return ['v1', ...path.slice(1).split('/')];
}

/** Query and body of a request that succeeds, or is refused for what it asks and not for its form. */
export interface ValidRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' });

/**
 * Requests that mean something, by operation; the others are sampled from the document. Those that change something ask for
 * what already holds, or for something beside the customer of the run.
 */
function validRequests(target: Target): Readonly<Record<string, readonly ValidRequest[]>> {
  return { ...writesAndSearches(target), ...configChanges(target), ...others(target) };
}

function writesAndSearches({ groupRef, words }: Target): Record<string, ValidRequest[]> {
  const { people, email, lastname, absentId: id } = words;
  const record = { [email]: 'hostile@example.com', [lastname]: 'Müller' };
  const one = { groupRef, type: 'create', record };
  const later = { ...one, mode: 'asynchronous' };
  const associations = [
    { to: { id: '1' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }] },
  ];
  return {
    writeRecords: [
      { body: one },
      { body: { ...later, retryPolicy: { deadlineHours: 1 } } },
      { body: { ...later, autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: 1 } } },
      { body: { groupRef, type: 'create', batch: [{ record }, { record }], batchPolicy: { allOrNone: false } } },
      { body: { groupRef, type: 'update', record: { id, [lastname]: 'M' } } },
      { body: { groupRef, type: 'delete', record: { id } } },
      { query: { dryRun: 'true' }, body: one },
      { body: { ...one, associations, headers: [{ key: 'Sforce-Auto-Assign', value: 'FALSE' }] } },
    ],
    searchRecords: [
      {
        query: { groupRef },
        body: { objectName: people, fieldFilters: [{ fieldName: email, operator: 'eq', value: 'a@example.com' }] },
      },
    ],
  };
}

function configChanges({ groupRef, words }: Target): Record<string, ValidRequest[]> {
  const { provider } = words;
  const content = { provider, write: { objects: { others: { objectName: 'others' } } } };
  const updateMask = ['config.content.write.objects.others'];
  const changes = [{ op: 'add', path: '/deletionSettings', value: { enabled: false } }];
  return {
    updateInstallation: [{ body: { updateMask, installation: { config: { content } } } }],
    patchObjectConfig: [{ body: { groupRef, action: 'write', changes } }],
    createInstallation: [{ body: { groupRef: 'nobody', config: { content } } }],
  };
}

function others({ groupRef, words: { provider } }: Target): Record<string, ValidRequest[]> {
  const named = { groupRef: 'g9', consumerRef: 'c9', provider };
  const integration = { specVersion: '1.0.0', integrations: [{ name: 'beside', provider }] };
  return {
    listInstallations: [{ query: { groupRef } }, { query: { pageSize: '1' } }],
    listConnections: [{ query: { groupRef } }],
    getObjectMetadataForInstallation: [{ query: { groupRef } }],
    getObjectMetadataForConnection: [{ query: { groupRef } }],
    generateConnection: [{ body: { ...named, apiKey: 'pat-na1-wrong', providerWorkspaceRef: 'acme' } }],
    updateProject: [{ body: { updateMask: ['appName'], project: { appName: 'black box' } } }],
    // Another member would take the credentials of the run's customer away.
    updateConnection: [{ body: { updateMask: ['providerMetadata'], connection: { providerMetadata: {} } } }],
    createIntegration: [
      {
        body: {
          name: 'beside',
          provider,
          latestRevision: { specVersion: '1.0.0', content: { name: 'beside', provider } },
        },
      },
    ],
    createWebhookEndpoint: [{ body: { url: 'https://localhost:1/', eventTypes: ['write.async.done'] } }],
    updateWebhookEndpoint: [{ body: { updateMask: ['description'], webhookEndpoint: { description: 'x' } } }],
    createJwtKey: [{ body: { label: 'beside', algorithm: 'RS256', publicKeyPem } }],
    generateUploadUrl: [{ query: { md5: '1B2M2Y8AsgTpgAmY7PhCfg==' } }],
    previewManifest: [{ body: { sourceYaml: JSON.stringify(integration) } }],
    deployManifest: [
      { body: { sourceYaml: JSON.stringify(integration) } },
      { body: { sourceZipUrl: 'gs://sluice-uploads/01a1fb19-0000-7000-8000-000000000000/x.zip' } },
    ],
  };
}
