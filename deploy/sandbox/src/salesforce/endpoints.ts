import type { ReceivedCall } from '../control/imitated-provider';
import { decodeSegment, Router, type Endpoint, type FoundEndpoint } from '../crm/api-call';
import { createMany, deleteMany, retrieveMany, updateMany, upsertMany } from './collections';
import { notFound, SalesforceError } from './errors';
import { describeObject, listObjects } from './metadata';
import type { Action, OrgCall } from './org-data';
import { query, queryAll, queryMore } from './query-records';
import { createOne, deleteOne, readOne, updateOne } from './single-records';
import { identity, userinfo } from './tokens';

type Carries = Endpoint<OrgCall>['carries'];

const at = (spec: string, name: string, perform: Action, carries: Carries = 'none'): Endpoint<OrgCall> => {
  const [method = '', path = ''] = spec.split(' ');
  return { method, paths: [path], name, perform, carries };
};

const data = (spec: string, name: string, perform: Action, carries: Carries = 'none'): Endpoint<OrgCall> =>
  at(spec.replace(' /', ' /services/data/:version/'), name, perform, carries);

/** The endpoints, literal segments before parameters. */
const router = new Router<OrgCall>([
  at('GET /services/oauth2/userinfo', 'userinfo', userinfo),
  at('GET /id/:org/:user', 'identity', identity),
  data('GET /query', 'search', query),
  data('GET /queryAll', 'search', queryAll),
  data('GET /query/:locator', 'search', queryMore),
  data('GET /sobjects', 'objects', listObjects),
  data('POST /sobjects/:object', 'create', createOne, 'one'),
  data('GET /sobjects/:object/describe', 'describe', describeObject),
  data('GET /sobjects/:object/:id', 'read', readOne, 'one'),
  data('PATCH /sobjects/:object/:id', 'update', updateOne, 'one'),
  data('DELETE /sobjects/:object/:id', 'delete', deleteOne, 'one'),
  data('POST /composite/sobjects', 'batch-create', createMany, 'records'),
  data('PATCH /composite/sobjects', 'batch-update', updateMany, 'records'),
  data('DELETE /composite/sobjects', 'batch-delete', deleteMany, 'ids'),
  data('POST /composite/sobjects/:object', 'batch-read', retrieveMany, 'ids'),
  data('PATCH /composite/sobjects/:object/:field', 'batch-upsert', upsertMany, 'records'),
]);

/** What exists at an address. */
interface Found extends Pick<FoundEndpoint<OrgCall>, 'params'> {
  /** Absent when the address has other methods only. */
  readonly endpoint: Endpoint<OrgCall> | undefined;
  /** Methods that the address has. */
  readonly allowed: readonly string[];
}

/** @returns undefined for an address that Salesforce does not have */
export function findEndpoint(call: ReceivedCall): Found | undefined {
  // An invalid escape stands for itself: nothing has that name. Repeated slashes count as one.
  const segments = call.path.split('/').filter(Boolean);
  const found = router.match(['', ...segments.map((segment) => decodeSegment(segment) ?? segment)]);
  const [first] = found;
  if (!first) return undefined;
  const match = found.find(({ endpoint }) => endpoint.method === call.method);
  const allowed = [...new Set(found.map(({ endpoint }) => endpoint.method))];
  return { endpoint: match?.endpoint, params: match?.params ?? first.params, allowed };
}

/** @throws SalesforceError 404 or 405 */
export function getEndpoint(call: ReceivedCall): FoundEndpoint<OrgCall> {
  const found = findEndpoint(call);
  if (!found) throw notFound();
  const { endpoint, params, allowed } = found;
  if (endpoint) return { endpoint, params };
  const message = `HTTP Method '${call.method}' not allowed. Allowed are ${allowed.join(',')}`;
  throw new SalesforceError(405, { code: 'METHOD_NOT_ALLOWED', message });
}
