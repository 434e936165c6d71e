import { ValidationError, type Issue } from '@sluice/errors';
import {
  manifestSchema,
  readObjectConfigSchema,
  searchRequestSchema,
  writeObjectConfigSchema,
  type JsonSchema,
} from '@sluice/types';
import { countMembers, nameFault } from './json/member-names';
import { validate } from './validation/validate';

// Such a name is refused as a field, a mapping and a filter, as a key and as a value.
const hostile = ['__proto__', 'constructor', 'prototype'];

function issuesOf(schema: JsonSchema, value: unknown): readonly Issue[] {
  try {
    validate(schema)(value);
    return [];
  } catch (error) {
    if (error instanceof ValidationError) return error.issues;
    throw error;
  }
}

const manifestWith = (read: object, write: object = { objectName: 'contacts' }) => ({
  specVersion: '1.0.0',
  integrations: [{ name: 'crm', provider: 'hubspot', read: { objects: [read] }, write: { objects: [write] } }],
});
const filtered = (fieldName: string) => ({
  objectName: 'contacts',
  fieldFilters: [{ fieldName, operator: 'eq', value: 'x' }],
});

const places: [string, JsonSchema, (name: string) => unknown][] = [
  ['search objectName', searchRequestSchema, (objectName) => ({ objectName, fieldFilters: [] })],
  ['search filter', searchRequestSchema, filtered],
  ['manifest read object', manifestSchema, (objectName) => manifestWith({ objectName })],
  ['manifest write object', manifestSchema, (objectName) => manifestWith({ objectName: 'a' }, { objectName })],
  [
    'manifest mapToName',
    manifestSchema,
    (mapToName) => manifestWith({ objectName: 'a', requiredFields: [{ mapToName }] }),
  ],
  [
    'manifest fieldName',
    manifestSchema,
    (fieldName) => manifestWith({ objectName: 'a', requiredFields: [{ fieldName }] }),
  ],
  ['config objectName', writeObjectConfigSchema, (objectName) => ({ objectName })],
  ['config read filter', readObjectConfigSchema, filtered],
  [
    'dynamic mapToName',
    readObjectConfigSchema,
    (mapToName) => ({ objectName: 'a', dynamicMappingsInput: [{ mapToName }] }),
  ],
  [
    'dynamic fieldName',
    readObjectConfigSchema,
    (fieldName) => ({ objectName: 'a', dynamicMappingsInput: [{ mapToName: 'm', fieldName }] }),
  ],
];

describe.each(places)('%s', (_, schema, withName) => {
  it.each(hostile)('refuses %s', (name) => {
    const details = issuesOf(schema, withName(name)).map(({ detail }) => detail);
    expect(details).toContain('must not be empty, hold a NUL character, or be __proto__, constructor or prototype');
  });

  it.each(['constructors', 'Constructor', 'a__proto__', 'proto', 'toString'])('takes %s', (name) => {
    expect(issuesOf(schema, withName(name))).toEqual([]);
  });
});

it.each(hostile)('a member called %s is refused at any depth, and nothing is polluted', (name) => {
  const value: unknown = JSON.parse(`{"a":[{"b":{"${name}":{"polluted":1}}}]}`);
  expect(countMembers(value, false)).toBeUndefined();
  expect(nameFault(name)).toContain('not allowed');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
