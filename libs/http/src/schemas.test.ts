import * as types from '@sluice/types';
import type { SearchRequest, WriteRequest } from '@sluice/types';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

type Schema = Record<string, unknown>;
type Engine = 'draft-07' | '2020-12';

/** With `strictRequired` a schema requires only what it knows. */
const options = { strict: true, strictRequired: true, allErrors: true, allowUnionTypes: true };
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

  it('says of each moment that it is a date-time', () => {
    const moments = schemas
      .flatMap(([name, schema]) => parts(schema, name))
      .filter(([path]) => /(Time|At|Until)$/.test(path));
    expect(moments.filter(([, part]) => part['format'] !== 'date-time')).toEqual([]);
  });
});

// What is sent as a name becomes a key, sooner or later. A manifest comes inside a text, so no request has its schema.
describe('the name of an object or a field, wherever it is sent', () => {
  const names = [...requests, ['manifestSchema', types.manifestSchema] as const]
    .flatMap(([name, schema]) => parts(schema, name))
    .filter(([path]) => /\.(objectName|fieldName|mapToName)$/.test(path));

  it.each(names)('%s reaches into no prototype', (_, part) => {
    expect(['__proto__', 'constructor', 'prototype'].filter((name) => accepts(part, name))).toEqual([]);
    const fine = ['constructors', 'Constructor', 'a__proto__', 'proto', 'toString'];
    expect(fine.filter((name) => accepts(part, name))).toEqual(fine);
  });
});

/** Members that hold a secret, and the objects around them, instead of which a secret may be sent. */
const secretPath =
  /\.(token|password|clientSecret)$|Connection.*\.(apiKey|customAuth|basicAuth|oauth2\w+)$|\.clientSecret$/;

/** Those of rules have a sentence in issue-sentence.ts, and no `anyOf` or `oneOf` is among them: its errors would name no member. */
const keywords = new Set(
  [
    'type enum minimum maximum minLength maxLength minItems maxItems minProperties maxProperties uniqueItems pattern format',
    'required properties additionalProperties items description default examples deprecated writeOnly',
  ].flatMap((line) => line.split(' ')),
);

describe('every request schema', () => {
  it('is there', () => {
    expect(requests).toHaveLength(21);
  });

  it.each(requests)('%s refuses unknown fields wherever it names some', (name, schema) => {
    const open = parts(schema, name).filter(([, part]) => part['properties'] && part['additionalProperties'] !== false);
    expect(open.map(([path]) => path)).toEqual([]);
  });

  it.each<[string, Schema]>([...requests, ['manifestSchema', types.manifestSchema]])(
    '%s states no rule that has no sentence',
    (name, schema) => {
      const used = parts(schema, name).flatMap(([, part]) => Object.keys(part));
      expect(used.filter((keyword) => !keywords.has(keyword))).toEqual([]);
    },
  );

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

describe('the parts of a write', () => {
  const create: WriteRequest = { groupRef: 'g', type: 'create', record: { email: 'a' } };
  const isWrite = (more: object) => accepts(types.writeRequestSchema, { ...create, ...more });
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));

  it.each<[object, boolean]>([
    [{}, true],
    [{ groupRef: 'a\0' }, false],
    [{ type: 'upsert' }, false],
    [{ mode: 'async' }, false],
    [{ mod: 'asynchronous' }, false],
    [{ record: [] }, false],
    [{ record: fields(1000) }, true],
    [{ record: fields(1001) }, false],
    [{ batch: [{}] }, false],
    [{ batch: [{ record: {}, other: 1 }] }, false],
    [{ headers: [{ key: 'a' }] }, false],
    [{ batchPolicy: { allOrNone: true } }, true],
    [{ batchPolicy: { allOrNone: 'yes' } }, false],
    [{ autoBatchPolicy: {} }, false],
    [{ autoBatchPolicy: { maxDelayMinutes: 1.5 } }, false],
    [{ autoBatchPolicy: { maxDelayMinutes: '1' } }, false],
    [{ retryPolicy: {} }, true],
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

  it('takes eq only', () => {
    expect(search({ ...filter, operator: 'ne' })).toBe(false);
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
  it('takes a connection of a consumer only', () => {
    const { consumerRef, ...nobodys } = { groupRef: 'g', consumerRef: 'c', provider: 'hubspot' };
    expect(accepts(types.generateConnectionRequestSchema, { ...nobodys, consumerRef })).toBe(true);
    expect(accepts(types.generateConnectionRequestSchema, nobodys)).toBe(false);
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
});
