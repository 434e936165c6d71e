import * as types from '@sluice/types';
import type {
  ConfigContent,
  CreateInstallationRequest,
  CreateIntegrationRequest,
  GenerateConnectionRequest,
  Installation,
  Operation,
  SearchRequest,
  WriteRequest,
} from '@sluice/types';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

type Schema = Record<string, unknown>;
type Engine = 'draft-07' | '2020-12';

const options = { strict: true, allErrors: true, allowUnionTypes: true };
const engines: Record<Engine, Ajv> = { 'draft-07': new Ajv(options), '2020-12': new Ajv2020(options) };
for (const engine of Object.values(engines)) addFormats.default(engine);

const schemas = Object.entries(types).filter(([name]) => name.endsWith('Schema')) as [string, Schema][];
const requests = schemas.filter(([name]) => name.endsWith('RequestSchema'));

const accepts = (schema: Schema, value: unknown) => engines['2020-12'].compile(schema)(value);

/** Every schema object inside a schema, with its path. */
function parts(schema: Schema, path: string): [string, Schema][] {
  const named = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const others = ['items', 'additionalProperties']
    .filter((keyword) => typeof schema[keyword] === 'object')
    .map((keyword): [string, Schema] => [keyword, schema[keyword] as Schema]);
  const inner = [...named, ...others].flatMap(([name, part]) => parts(part, `${path}.${name}`));
  return [[path, schema], ...inner];
}

describe('every schema', () => {
  it.each(schemas)('%s compiles strictly in both drafts', (_, schema) => {
    for (const engine of Object.values(engines)) expect(() => engine.compile(schema)).not.toThrow();
  });

  it.each(schemas)('%s describes itself and each of its properties', (name, schema) => {
    const silent = parts(schema, name).flatMap(([path, part]) =>
      Object.entries((part['properties'] ?? {}) as Record<string, Schema>)
        .filter(([, property]) => typeof property['description'] !== 'string')
        .map(([property]) => `${path}.${property}`),
    );
    expect(silent).toEqual([]);
    expect(schema['description']).toEqual(expect.any(String));
  });

  it.each(schemas)('%s requires only what it knows', (name, schema) => {
    for (const [, part] of parts(schema, name)) {
      const known = Object.keys(part['properties'] ?? {});
      expect(known).toEqual(expect.arrayContaining(Array.isArray(part['required']) ? part['required'] : []));
    }
  });
});

/** Members that hold a secret, and the objects around them, in whose place a secret may be sent. */
const secretPath =
  /\.(token|password|clientSecret)$|Connection.*\.(apiKey|customAuth|basicAuth|oauth2\w+)$|\.clientSecret$/;

describe('every request schema', () => {
  it('is there', () => {
    expect(requests.map(([name]) => name).toSorted()).toEqual([
      'createApiKeyRequestSchema',
      'createInstallationRequestSchema',
      'createIntegrationRequestSchema',
      'createJwtKeyRequestSchema',
      'createProjectRequestSchema',
      'createProviderAppRequestSchema',
      'createWebhookEndpointRequestSchema',
      'deployManifestRequestSchema',
      'generateConnectionRequestSchema',
      'oauthConnectRequestSchema',
      'patchConfigContentRequestSchema',
      'searchRequestSchema',
      'updateApiKeyRequestSchema',
      'updateConnectionRequestSchema',
      'updateInstallationRequestSchema',
      'updateJwtKeyRequestSchema',
      'updateProjectRequestSchema',
      'updateProviderAppRequestSchema',
      'updateWebhookEndpointRequestSchema',
      'writeRequestSchema',
    ]);
  });

  it.each(requests)('%s refuses unknown fields wherever it names some', (name, schema) => {
    const open = parts(schema, name).filter(([, part]) => part['properties'] && part['additionalProperties'] !== false);
    expect(open.map(([path]) => path)).toEqual([]);
  });

  // A refused body must never be quoted where it holds a secret.
  it.each(requests)('%s marks its secrets', (name, schema) => {
    const unmarked = parts(schema, name).filter(([path, part]) => secretPath.test(path) && !part['writeOnly']);
    expect(unmarked.map(([path]) => path)).toEqual([]);
  });

  // No token holds one, and none may end in a header or a form of a provider call.
  it.each(requests)('%s takes no NUL in a secret text', (name, schema) => {
    const secrets = parts(schema, name).filter(([, part]) => part['writeOnly'] === true && part['type'] === 'string');
    expect(secrets.filter(([, part]) => accepts(part, 'a\0b')).map(([path]) => path)).toEqual([]);
    expect(secrets.filter(([, part]) => !accepts(part, 'a b~é')).map(([path]) => path)).toEqual([]);
  });
});

describe('limits of a write', () => {
  const create: WriteRequest = { groupRef: 'g', type: 'create', record: { email: 'a' } };
  const isWrite = (more: object) => accepts(types.writeRequestSchema, { ...create, ...more });
  const items = (count: number) => Array.from({ length: count }, () => ({ record: { a: 1 } }));
  const headers = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `x-${index}`, value: '' }));
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));

  it.each<[object, boolean]>([
    [{}, true],
    [{ groupRef: '' }, false],
    [{ groupRef: 'x'.repeat(255) }, true],
    [{ groupRef: 'x'.repeat(256) }, false],
    [{ groupRef: 'a\0' }, false],
    [{ type: 'upsert' }, false],
    [{ mode: 'async' }, false],
    [{ mod: 'asynchronous' }, false],
    [{ record: [] }, false],
    [{ record: fields(1000) }, true],
    [{ record: fields(1001) }, false],
    [{ batch: items(0) }, false],
    [{ batch: items(1) }, true],
    [{ batch: items(100) }, true],
    [{ batch: items(101) }, false],
    [{ batch: [{}] }, false],
    [{ batch: [{ record: {}, other: 1 }] }, false],
    [{ headers: headers(20) }, true],
    [{ headers: headers(21) }, false],
    [{ headers: [{ key: 'a' }] }, false],
    [{ batchPolicy: { allOrNone: true } }, true],
    [{ batchPolicy: { allOrNone: 'yes' } }, false],
    [{ autoBatchPolicy: {} }, false],
    [{ autoBatchPolicy: { maxDelayMinutes: 0 } }, false],
    [{ autoBatchPolicy: { maxDelayMinutes: 1 } }, true],
    [{ autoBatchPolicy: { maxDelayMinutes: 1440 } }, true],
    [{ autoBatchPolicy: { maxDelayMinutes: 1441 } }, false],
    [{ autoBatchPolicy: { maxDelayMinutes: 1.5 } }, false],
    [{ autoBatchPolicy: { maxDelayMinutes: '1' } }, false],
    [{ autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: 0 } }, false],
    [{ autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: 48 } }, true],
    [{ autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: 49 } }, false],
    [{ retryPolicy: {} }, true],
    [{ retryPolicy: { deadlineHours: 0 } }, false],
    [{ retryPolicy: { deadlineHours: 1 } }, true],
    [{ retryPolicy: { deadlineHours: 48 } }, true],
    [{ retryPolicy: { deadlineHours: 49 } }, false],
    [
      {
        associations: [{ to: { id: '1' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 3 }] }],
      },
      true,
    ],
    [{ associations: [{}] }, false],
    [{ associations: [{ to: {}, types: [] }] }, false],
    [{ associations: [{ to: { id: '1' }, types: [{ associationCategory: 'x', associationTypeId: '3' }] }] }, false],
  ])('case %#', (more, expected) => {
    expect(isWrite(more)).toBe(expected);
  });
});

describe('search', () => {
  const filter = { fieldName: 'email', operator: 'eq' as const, value: 'a' as unknown };
  const search = (...fieldFilters: unknown[]) =>
    accepts(types.searchRequestSchema, { objectName: 'contacts', fieldFilters });

  it('takes text, boolean and number', () => {
    const typed: SearchRequest = { objectName: 'contacts', fieldFilters: [{ ...filter, value: 1 }] };
    expect(accepts(types.searchRequestSchema, typed)).toBe(true);
    for (const value of ['', true, 1.5]) expect(search({ ...filter, value })).toBe(true);
    for (const value of [null, [], {}, undefined]) expect(search({ ...filter, value })).toBe(false);
  });

  it('takes eq only, and 20 filters at most', () => {
    expect(search({ ...filter, operator: 'ne' })).toBe(false);
    expect(search(...Array.from({ length: 20 }, () => filter))).toBe(true);
    expect(search(...Array.from({ length: 21 }, () => filter))).toBe(false);
  });
});

describe('config content', () => {
  const writeWith = (settings: object) => ({
    provider: 'hubspot',
    write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings: { a: settings } } } },
  });
  const readWith = (object: object) => ({
    provider: 'hubspot',
    read: { objects: { contacts: { objectName: 'contacts', ...object } } },
  });

  // Specification: use exactly one of stringValue, integerValue, booleanValue.
  it.each<[object, boolean]>([
    [{ default: { stringValue: '' } }, true],
    [{ default: { integerValue: 1 } }, true],
    [{ default: { integerValue: 1.5 } }, false],
    [{ default: { booleanValue: false } }, true],
    [{ default: {} }, false],
    [{ default: { stringValue: 'a', integerValue: 1 } }, false],
    [{ writeOnCreate: 'ifEmpty' }, false],
    [{ writeOnUpdate: 'ifEmpty' }, true],
    [{ writeOnUpdate: 'sometimes' }, false],
  ])('field settings %j: %s', (settings, expected) => {
    expect(accepts(types.configContentSchema, writeWith(settings))).toBe(expected);
  });

  it.each<[object, boolean]>([
    [{ backfill: { defaultPeriod: { days: 0 } } }, true],
    [{ backfill: { defaultPeriod: { fullHistory: true } } }, true],
    [{ backfill: { defaultPeriod: {} } }, false],
    [{ backfill: {} }, false],
    [{ backfill: { defaultPeriod: { days: -1 } } }, false],
    [{ selectedFields: { email: true } }, true],
    [{ selectedFields: { email: 'yes' } }, false],
    [{ selectedFieldsAuto: 'all' }, true],
    [{ selectedFieldsAuto: 'some' }, false],
    [{ selectedValueMappings: { stage: { won: 'closedwon' } } }, true],
    [{ dynamicMappingsInput: [{ mapToName: 'x', mappedValues: [{ mappedValue: 'a' }] }] }, false],
    [{ fieldFilters: [{ fieldName: 'a', operator: 'eq', value: 1 }] }, true],
    [{ fieldFilters: [{ fieldName: 'a', operator: 'eq' }] }, false],
    [{ disable: true }, false],
  ])('read object %j: %s', (object, expected) => {
    expect(accepts(types.configContentSchema, readWith(object))).toBe(expected);
  });

  it('requires nothing in an update', () => {
    expect(accepts(types.updateConfigContentSchema, {})).toBe(true);
    expect(accepts(types.configContentSchema, {})).toBe(false);
  });
});

describe('bodies of the management API', () => {
  it('takes the minimal manifest of the specification', () => {
    const integration = {
      name: 'crm',
      provider: 'hubspot',
      read: { objects: [{ objectName: 'contacts', enabled: 'always' as const }] },
      write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
    };
    const request: CreateIntegrationRequest = {
      name: 'crm',
      provider: 'hubspot',
      latestRevision: { specVersion: '1.0.0', content: integration },
    };
    expect(accepts(types.manifestSchema, { specVersion: '1.0.0', integrations: [integration] })).toBe(true);
    expect(accepts(types.manifestSchema, { specVersion: '2.0.0', integrations: [integration] })).toBe(false);
    expect(accepts(types.createIntegrationRequestSchema, request)).toBe(true);
  });

  it('takes a connection with given credentials', () => {
    const request: GenerateConnectionRequest = {
      groupRef: 'g',
      consumerRef: 'c',
      provider: 'hubspot',
      oauth2AuthorizationCode: { accessToken: { token: 't', expiresAt: '2026-11-20T10:00:00+01:00' }, scopes: [] },
      providerMetadata: { region: { value: 'eu', source: 'input' } },
    };
    const soon = { ...request, oauth2AuthorizationCode: { accessToken: { token: 't', expiresAt: 'soon' } } };
    expect(accepts(types.generateConnectionRequestSchema, request)).toBe(true);
    expect(accepts(types.generateConnectionRequestSchema, soon)).toBe(false);
    expect(accepts(types.generateConnectionRequestSchema, { ...request, consumerRef: undefined })).toBe(false);
  });

  it.each<[object, boolean]>([
    [{ name: 'My-App' }, true],
    [{ name: 'a' }, false],
    [{ name: '-ab' }, false],
    [{ name: 'x'.repeat(128) }, true],
    [{ name: 'x'.repeat(129) }, false],
    [{ orgId: '' }, false],
    [{ orgId: 'x'.repeat(129) }, false],
    [{ appName: 'x'.repeat(129) }, false],
  ])('project %#', (more, expected) => {
    const project = { appName: 'App', name: 'app', orgId: 'o', ...more };
    expect(accepts(types.createProjectRequestSchema, project)).toBe(expected);
  });

  it('takes an installation, and its reply', () => {
    const content: ConfigContent = {
      provider: 'hubspot',
      write: { objects: { contacts: { objectName: 'contacts' } } },
    };
    const request: CreateInstallationRequest = { groupRef: 'g', config: { content, revisionId: 'r' } };
    expect(accepts(types.createInstallationRequestSchema, request)).toBe(true);
    const createTime = '2026-11-20T10:00:00.000Z';
    const group = { groupRef: 'g', groupName: 'G', projectId: 'p', createTime };
    const consumer = { consumerRef: 'c', consumerName: 'C', projectId: 'p', createTime };
    const installation: Installation = {
      id: 'i',
      projectId: 'p',
      integrationId: 'n',
      healthStatus: 'healthy',
      connection: {
        id: 'k',
        projectId: 'p',
        provider: 'hubspot',
        group,
        consumer,
        createTime,
        authScheme: 'oauth2/authorizationCode',
        status: 'created',
      },
      createTime,
      createdBy: 'consumer:c',
      config: { id: 'f', revisionId: 'r', createTime, createdBy: 'builder:b', content },
    };
    expect(accepts(types.installationSchema, installation)).toBe(true);
    expect(accepts(types.installationSchema, { ...installation, createTime: 'yesterday' })).toBe(false);
  });

  it('takes an operation', () => {
    const operation: Operation = {
      id: 'o',
      projectId: 'p',
      integrationId: 'n',
      installationId: 'i',
      configId: 'f',
      actionType: 'write',
      status: 'in_progress',
    };
    expect(accepts(types.operationSchema, operation)).toBe(true);
    expect(accepts(types.operationListReplySchema, { results: [operation], pagination: { done: true } })).toBe(true);
  });
});
