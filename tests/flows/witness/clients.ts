import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Witness } from './compare';
import { Declarations } from './declared';

/** Which declared type of a client each reply is read into: `METHOD path path …`, by status. `T[]`: a list of them. */
type Reads = Readonly<Record<string, Readonly<Record<string, string>>>>;

const objects = (rest: string) => `/crm/objects/2026-03/{object}${rest} /crm/v3/objects/{object}${rest}`;
const batch = (of: string, ok = '200') => ({ [ok]: of, 207: `${of}WithErrors` });

const hubspot: Readonly<Record<string, Reads>> = {
  'crm/objects': {
    [`POST ${objects('')}`]: { 201: 'SimplePublicObject', error: 'ModelError' },
    [`PATCH ${objects('/{id}')}`]: { 200: 'SimplePublicObject', error: 'ModelError' },
    [`POST ${objects('/batch/create')}`]: { ...batch('BatchResponseSimplePublicObject', '201'), error: 'ModelError' },
    [`POST ${objects('/batch/update')}`]: { ...batch('BatchResponseSimplePublicObject'), error: 'ModelError' },
    [`POST ${objects('/batch/upsert')}`]: { ...batch('BatchResponseSimplePublicUpsertObject'), error: 'ModelError' },
    [`POST ${objects('/batch/read')}`]: { ...batch('BatchResponseSimplePublicObject'), error: 'ModelError' },
    [`POST ${objects('/search')}`]: { 200: 'CollectionResponseWithTotalSimplePublicObject', error: 'ModelError' },
  },
  'crm/associations/v4': {
    'POST /crm/associations/2026-03/{from}/{to}/batch/create /crm/v4/associations/{from}/{to}/batch/create': {
      ...batch('BatchResponseLabelsBetweenObjectPair', '201'),
      error: 'ModelError',
    },
  },
  'crm/properties': {
    'GET /crm/v3/properties/{object}': { 200: 'CollectionResponsePropertyNoPaging', error: 'ModelError' },
  },
  'crm/schemas': {
    'GET /crm-object-schemas/2026-03/schemas/{object}': { 200: 'ObjectSchema', error: 'ModelError' },
  },
  oauth: { 'POST /oauth/2026-03/token /oauth/v1/token': { 200: 'TokenResponseIF' } },
};

const salesforce = (types: Readonly<Record<'query' | 'describe' | 'saved' | 'one', string>>): Reads => ({
  'POST /services/data/{version}/sobjects/{object}': { 201: types.one },
  'POST /services/data/{version}/composite/sobjects': { 200: `${types.saved}[]` },
  'PATCH /services/data/{version}/composite/sobjects': { 200: `${types.saved}[]` },
  'GET /services/data/{version}/query /services/data/{version}/queryAll': { 200: types.query },
  'GET /services/data/{version}/sobjects/{object}/describe': { 200: types.describe },
  'POST /services/oauth2/token': { 200: 'TokenResponse' },
});

/** What a client declares of the replies that it reads. */
function witnessOf(reads: Reads, declared: Declarations): Witness['calls'] {
  return Object.entries(reads).map(([call, types]) => {
    const [method = '', ...paths] = call.split(' ');
    const replies = Object.entries(types).map(([status, type]) => [
      status,
      type.endsWith('[]') ? declared.membersOf(type.slice(0, -2), '[]') : declared.membersOf(type),
    ]);
    return { method, paths, replies: Object.fromEntries(replies) as Readonly<Record<string, string[]>> };
  });
}

const folderOf = (name: string): string => dirname(require.resolve(name));

/** Names on the wire, as HubSpot's client keeps them beside each of its models. */
function wireNames(folder: string) {
  return (type: string): ReadonlyMap<string, string> => {
    const file = join(folder, `${type}.js`);
    const model = existsSync(file) ? (require(file) as Readonly<Record<string, Model>>)[type] : undefined;
    return new Map(model?.getAttributeTypeMap?.().map(({ name, baseName }) => [name, baseName]));
  };
}

interface Model {
  getAttributeTypeMap?(): readonly { readonly name: string; readonly baseName: string }[];
}

function ofHubspotsClient(): Witness['calls'] {
  return Object.entries(hubspot).flatMap(([part, reads]) => {
    const folder = join(folderOf('@hubspot/api-client'), 'codegen', part, 'models');
    return witnessOf(reads, new Declarations([folder], wireNames(folder)));
  });
}

function ofJsforce(): Witness['calls'] {
  const files = ['types/common.d.ts', 'query.d.ts', 'oauth2.d.ts'].map((file) =>
    join(folderOf('jsforce'), 'lib', file),
  );
  const types = { query: 'QueryResult', describe: 'DescribeSObjectResult', saved: 'SaveResult', one: 'SaveResult' };
  return witnessOf(salesforce(types), new Declarations(files));
}

function ofTsForce(): Witness['calls'] {
  const types = { query: 'QueryResponse', describe: 'SObjectDescribe', saved: 'SaveResult', one: 'DMLResponse' };
  return witnessOf(salesforce(types), new Declarations([folderOf('ts-force')]));
}

/** By provider and client. The server of HubSpot declares nothing: hubspot-clients.test.ts runs it. */
export const declaredBy: Readonly<Record<string, Readonly<Record<string, () => Witness['calls']>>>> = {
  hubspot: { '@hubspot/api-client': ofHubspotsClient },
  salesforce: { jsforce: ofJsforce, 'ts-force': ofTsForce },
};
