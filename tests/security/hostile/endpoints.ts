import {
  acceptedWriteReplySchema,
  batchWriteReplySchema,
  connectionSchema,
  installationSchema,
  integrationSchema,
  operationRecordListReplySchema,
  operationSchema,
  projectSchema,
  refusedWriteReplySchema,
  searchReplySchema,
  singleWriteReplySchema,
  type JsonSchema,
} from '@sluice/types';

/** One endpoint with a request that is valid, and what it may answer besides a problem. */
export interface Endpoint {
  readonly name: string;
  readonly method: string;
  readonly origin: string;
  /** Percent-encoded segments. */
  readonly segments: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Schema of the body by status. Every other status of 400 and above answers a problem document. */
  readonly replies: Readonly<Record<number, JsonSchema>>;
}

/** Where the system under test is, and what stands in it. */
export interface Target {
  readonly management: string;
  readonly search: string;
  readonly write: string;
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

const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const oneOf = (...schemas: JsonSchema[]): JsonSchema => ({ anyOf: schemas });
const plan = { type: 'object', minProperties: 1, properties: { plan: { type: 'array' }, plans: { type: 'array' } } };

/** Every endpoint that a builder's backend calls, each with a valid request to spoil. */
export function endpointsOf(target: Target): Endpoint[] {
  return [...writes(target), ...searches(target), ...reads(target), ...changes(target)];
}

function writes({ write, projectId, integrationId, groupRef, words }: Target): Endpoint[] {
  const base = {
    method: 'POST',
    origin: write,
    segments: ['v1', 'projects', projectId, 'integrations', integrationId, 'objects', words.people],
    replies: {
      200: oneOf(acceptedWriteReplySchema, singleWriteReplySchema, batchWriteReplySchema, plan),
      422: oneOf(refusedWriteReplySchema, batchWriteReplySchema),
    },
  };
  const { email, lastname, absentId: id } = words;
  const record = { [email]: 'hostile@example.com', [lastname]: 'Müller' };
  const all = { groupRef, type: 'create', record };
  return [
    { ...base, name: 'create', body: all },
    {
      ...base,
      name: 'create asynchronously',
      body: { ...all, mode: 'asynchronous', retryPolicy: { deadlineHours: 1 } },
    },
    {
      ...base,
      name: 'create auto-batched',
      body: { ...all, mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: 1 } },
    },
    {
      ...base,
      name: 'create a batch',
      body: { groupRef, type: 'create', batch: [{ record }, { record }], batchPolicy: { allOrNone: false } },
    },
    { ...base, name: 'update', body: { groupRef, type: 'update', record: { id, [lastname]: 'M' } } },
    { ...base, name: 'delete', body: { groupRef, type: 'delete', record: { id } } },
    { ...base, name: 'dry run', query: { dryRun: 'true' }, body: all },
    {
      ...base,
      name: 'associations and headers',
      body: {
        ...all,
        associations: [
          { to: { id: '1' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }] },
        ],
        headers: [{ key: 'Sforce-Auto-Assign', value: 'FALSE' }],
      },
    },
  ];
}

function searches({ search, projectId, integrationId, groupRef, words }: Target): Endpoint[] {
  return [
    {
      name: 'search',
      method: 'POST',
      origin: search,
      segments: ['v1', 'projects', projectId, 'integrations', integrationId],
      query: { groupRef },
      body: {
        objectName: words.people,
        fieldFilters: [{ fieldName: words.email, operator: 'eq', value: 'a@example.com' }],
      },
      replies: { 200: searchReplySchema },
    },
  ];
}

function reads(target: Target): Endpoint[] {
  const { management, projectId, integrationId, installationId, connectionId, operationId, groupRef } = target;
  const project = ['v1', 'projects', projectId];
  const integration = [...project, 'integrations', integrationId];
  const get = (name: string, segments: readonly string[], reply: JsonSchema, query?: Record<string, string>) => ({
    name,
    method: 'GET',
    origin: management,
    segments,
    replies: { 200: reply },
    ...(query && { query }),
  });
  return [
    get('list installations', [...integration, 'installations'], listOf(installationSchema), { groupRef }),
    get('get installation', [...integration, 'installations', installationId], installationSchema),
    get('get operation', [...project, 'operations', operationId], operationSchema),
    get('list records', [...project, 'operations', operationId, 'records'], operationRecordListReplySchema),
    get('get project', project, projectSchema),
    get('get integration', integration, integrationSchema),
    get('list connections', [...project, 'connections'], listOf(connectionSchema), { groupRef }),
    get('get connection', [...project, 'connections', connectionId], connectionSchema),
  ];
}

/** Requests that change configs. Their valid form asks for what already holds. */
function changes({ management, projectId, integrationId, installationId, groupRef, words }: Target): Endpoint[] {
  const integration = ['v1', 'projects', projectId, 'integrations', integrationId];
  const { provider, people } = words;
  const content = { provider, write: { objects: { others: { objectName: 'others' } } } };
  return [
    {
      name: 'patch installation',
      method: 'PATCH',
      origin: management,
      segments: [...integration, 'installations', installationId],
      body: { updateMask: ['config.content.write.objects.others'], installation: { config: { content } } },
      replies: { 200: installationSchema },
    },
    {
      name: 'patch object config',
      method: 'PATCH',
      origin: management,
      segments: [...integration, 'objects', people, 'config-content'],
      body: {
        groupRef,
        action: 'write',
        changes: [{ op: 'add', path: '/deletionSettings', value: { enabled: false } }],
      },
      replies: { 200: installationSchema },
    },
    {
      name: 'create installation',
      method: 'POST',
      origin: management,
      segments: [...integration, 'installations'],
      body: { groupRef: 'nobody', config: { content } },
      replies: { 201: installationSchema },
    },
    {
      name: 'generate connection',
      method: 'POST',
      origin: management,
      segments: ['v1', 'projects', projectId, 'connections:generate'],
      body: { groupRef: 'g9', consumerRef: 'c9', provider, apiKey: 'pat-na1-wrong', providerWorkspaceRef: 'acme' },
      replies: { 201: connectionSchema },
    },
    {
      name: 'create integration',
      method: 'POST',
      origin: management,
      segments: ['v1', 'projects', projectId, 'integrations'],
      body: { name: 'crm', provider },
      replies: { 201: integrationSchema },
    },
  ];
}
