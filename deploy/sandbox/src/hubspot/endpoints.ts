import { accountDetails } from './account-details';
import type { Action, ApiCall, ObjectCall, PairCall } from './api-call';
import { archiveRecord, batchArchive } from './archive-record';
import { associate, associateByDefault, dissociate } from './associate';
import { batchAssociate, batchAssociateByDefault, batchDissociate } from './batch-associate';
import { batchCreate } from './batch-create';
import { batchRead } from './batch-read';
import { batchUpdate } from './batch-update';
import { batchUpsert } from './batch-upsert';
import { createRecord } from './create-record';
import { listPipelines } from './list-pipelines';
import { listProperties } from './list-properties';
import { listRecords } from './list-records';
import { mergeRecords } from './merge-records';
import { getObjectType } from './object-types';
import { batchReadAssociations, listAssociations } from './read-associations';
import { readRecord } from './read-record';
import { readSchema } from './read-schema';
import { searchRecords } from './search-records';
import { tokenInfo } from './token-info';
import { updateRecord } from './update-record';

/** One imitated endpoint. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for a segment that is a parameter. */
  readonly paths: readonly string[];
  /** Its name in the ledger. */
  readonly name: string;
  readonly perform: Action;
  /** How many records a call carries, for the ledger. */
  readonly carries: 'inputs' | 'one' | 'none';
}

const onObject =
  (action: Action<ObjectCall>): Action =>
  (call: ApiCall) => {
    const type = getObjectType(call.params.objectType ?? '');
    return action({ ...call, type, records: call.data.records(type) });
  };

const onPair =
  (action: Action<PairCall>): Action =>
  (call: ApiCall) =>
    action({ ...call, from: getObjectType(call.params.objectType ?? ''), to: getObjectType(call.params.toType ?? '') });

/** Both path layouts: the older version segment before the noun, the dated one after it. */
const objects = (suffix: string): string[] => [
  `/crm/v3/objects/:objectType${suffix}`,
  `/crm/objects/:version/:objectType${suffix}`,
];
const links = (suffix: string): string[] => [
  `/crm/v4/objects/:objectType/:id/associations${suffix}`,
  `/crm/objects/:version/:objectType/:id/associations${suffix}`,
];
const pairs = (suffix: string): string[] => [
  `/crm/v4/associations/:objectType/:toType/batch${suffix}`,
  `/crm/associations/:version/:objectType/:toType/batch${suffix}`,
];

const schemaPaths = ['/crm/v3/schemas/:objectType', '/crm-object-schemas/v3/schemas/:objectType'];

const of = (
  [method, paths]: readonly [Endpoint['method'], readonly string[]],
  name: string,
  perform: Action,
  carries: Endpoint['carries'] = 'none',
): Endpoint => ({ method, paths, name, perform, carries });

/** The endpoints, those with literal segments before those with parameters in the same place. */
export const endpoints: readonly Endpoint[] = [
  of(['POST', objects('/batch/create')], 'batch-create', onObject(batchCreate), 'inputs'),
  of(['POST', objects('/batch/update')], 'batch-update', onObject(batchUpdate), 'inputs'),
  of(['POST', objects('/batch/upsert')], 'batch-upsert', onObject(batchUpsert), 'inputs'),
  of(['POST', objects('/batch/read')], 'batch-read', onObject(batchRead), 'inputs'),
  of(['POST', objects('/batch/archive')], 'batch-archive', onObject(batchArchive), 'inputs'),
  of(['POST', objects('/search')], 'search', onObject(searchRecords)),
  of(['POST', objects('/merge')], 'merge', onObject(mergeRecords)),
  of(['POST', objects('')], 'create', onObject(createRecord), 'one'),
  of(['GET', objects('')], 'list', onObject(listRecords)),
  of(['PATCH', objects('/:id')], 'update', onObject(updateRecord), 'one'),
  of(['GET', objects('/:id')], 'read', onObject(readRecord), 'one'),
  of(['DELETE', objects('/:id')], 'archive', onObject(archiveRecord), 'one'),
  of(['PUT', links('/default/:toType/:toId')], 'associate', onPair(associateByDefault), 'one'),
  of(['PUT', links('/:toType/:toId')], 'associate', onPair(associate), 'one'),
  of(['DELETE', links('/:toType/:toId')], 'dissociate', onPair(dissociate), 'one'),
  of(['GET', links('/:toType')], 'associations', onPair(listAssociations)),
  of(['POST', pairs('/create')], 'batch-associate', onPair(batchAssociate), 'inputs'),
  of(['POST', pairs('/associate/default')], 'batch-associate', onPair(batchAssociateByDefault), 'inputs'),
  of(['POST', pairs('/read')], 'batch-associations', onPair(batchReadAssociations), 'inputs'),
  of(['POST', pairs('/archive')], 'batch-dissociate', onPair(batchDissociate), 'inputs'),
  // The dated layout of the properties API answers 404 at HubSpot, so it is not here either.
  of(['GET', ['/crm/v3/properties/:objectType']], 'properties', onObject(listProperties)),
  of(['GET', [...schemaPaths, '/crm-object-schemas/:version/schemas/:objectType']], 'schema', onObject(readSchema)),
  of(
    ['GET', ['/crm/v3/pipelines/:objectType', '/crm/pipelines/:version/:objectType']],
    'pipelines',
    onObject(listPipelines),
  ),
  of(['POST', ['/oauth/v2/private-apps/get/access-token-info']], 'token-info', tokenInfo),
  of(['GET', ['/account-info/v3/details', '/account-info/:version/details']], 'account-details', accountDetails),
];
