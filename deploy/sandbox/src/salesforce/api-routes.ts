import { listLimits, listResources, listVersions } from './api-versions';
import { createMany, deleteMany, updateMany, upsertMany } from './collections';
import { basicObject, describeObject, listObjects } from './describe-object';
import { identity, userinfo } from './token-replies';
import type { ApiAction, ApiCall, ApiReply } from './org';
import { queryAll, queryLive, queryMore } from './query-records';
import {
  createOne,
  deleteOne,
  readOne,
  updateOne,
  deleteByExternalId,
  readByExternalId,
  upsertOne,
} from './single-record';
import { badRequest } from './wire-reply';
import { fieldsCalled, objectOf } from './find-record';
import { presentRecord } from './present-record';
import { toLongId } from './record-ids';
import { readJsonObject, readNames, recordRequired, tooMany } from './request-body';

/** Source: docs/contributing/providers.md, B3. */
const IDS_MAX = 2000;

/** `POST /composite/sobjects/{T}` with `{ids, fields}`. */
const retrieveMany: ApiAction = (call) => {
  const body = readJsonObject(call.bodyText);
  return retrieve(call, readNames(body.ids), readNames(body.fields));
};

/** `GET /composite/sobjects/{T}?ids=&fields=`. */
const retrieveManyByQuery: ApiAction = (call) =>
  retrieve(call, readNames(call.query.get('ids')), readNames(call.query.get('fields')));

/** One entry per id, in the order of the ids; null for a record that is not there or is another object's. */
function retrieve(call: ApiCall, ids: readonly string[], names: readonly string[]): ApiReply {
  const object = objectOf(call);
  if (ids.length === 0) throw recordRequired();
  if (ids.length > IDS_MAX) throw tooMany(IDS_MAX);
  if (names.length === 0) throw badRequest('MISSING_ARGUMENT', 'fields not specified in a retrieve call');
  const fields = fieldsCalled(object, names);
  const records = ids.map((id) => {
    const long = toLongId(id);
    if (long === undefined) throw badRequest('MALFORMED_ID', `malformed id ${id}`);
    const record = call.org.store.find(long);
    return record && !record.isDeleted && record.type === object.name ? presentRecord(call, record, fields) : null;
  });
  return { status: 200, body: records };
}

/** One imitated endpoint. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments of its path; those that begin with `:` are parameters. */
  readonly segments: readonly string[];
  /** Its name in the ledger. */
  readonly name: string;
  readonly perform: ApiAction;
  /** Where the records that a call carries are counted: in a list of the body or the query, or nowhere. */
  readonly carries: 'records' | 'ids' | 'one' | 'none';
}

type Carries = ApiRoute['carries'];

const route = (spec: string, name: string, perform: ApiAction, carries: Carries = 'none'): ApiRoute => {
  const [method, path = ''] = spec.split(' ');
  return { method: method as ApiRoute['method'], segments: path.split('/').filter(Boolean), name, perform, carries };
};

const data = (spec: string, name: string, perform: ApiAction, carries: Carries = 'none'): ApiRoute =>
  route(spec.replace(' /', ' /services/data/:version/'), name, perform, carries);

/** The endpoints, literal segments before parameters. */
export const apiRoutes: readonly ApiRoute[] = [
  route('GET /services/oauth2/userinfo', 'userinfo', userinfo),
  route('GET /id/:org/:user', 'identity', identity),
  route('GET /services/data', 'versions', listVersions),
  route('GET /services/data/:version', 'resources', listResources),
  data('GET /limits', 'limits', listLimits),
  data('GET /query', 'search', queryLive),
  data('GET /queryAll', 'search', queryAll),
  data('GET /query/:locator', 'search', queryMore),
  data('GET /queryAll/:locator', 'search', queryMore),
  data('GET /sobjects', 'objects', listObjects),
  data('POST /sobjects/:object', 'create', createOne, 'one'),
  data('GET /sobjects/:object', 'object', basicObject),
  data('GET /sobjects/:object/describe', 'describe', describeObject),
  data('GET /sobjects/:object/:id', 'read', readOne, 'one'),
  data('PATCH /sobjects/:object/:id', 'update', updateOne, 'one'),
  data('DELETE /sobjects/:object/:id', 'delete', deleteOne, 'one'),
  data('GET /sobjects/:object/:field/:value', 'read', readByExternalId, 'one'),
  data('PATCH /sobjects/:object/:field/:value', 'upsert', upsertOne, 'one'),
  data('DELETE /sobjects/:object/:field/:value', 'delete', deleteByExternalId, 'one'),
  data('POST /composite/sobjects', 'batch-create', createMany, 'records'),
  data('PATCH /composite/sobjects', 'batch-update', updateMany, 'records'),
  data('DELETE /composite/sobjects', 'batch-delete', deleteMany, 'ids'),
  data('POST /composite/sobjects/:object', 'batch-read', retrieveMany, 'ids'),
  data('GET /composite/sobjects/:object', 'batch-read', retrieveManyByQuery, 'ids'),
  data('PATCH /composite/sobjects/:object/:field', 'batch-upsert', upsertMany, 'records'),
];
