import { decodeSegment, endpoint, endpointsAt, type Endpoint, type FoundEndpoint } from '../crm/api-call';
import {
  associate,
  associateByDefault,
  batchAssociate,
  batchReadAssociations,
  dissociate,
  listAssociations,
} from './associations';
import { batchArchive, batchCreate, batchRead, batchUpdate, batchUpsert } from './batches';
import { accountDetails, listProperties, readSchema } from './metadata';
import { getObjectType } from './objects';
import type { Action, ObjectCall, PairCall, PortalCall } from './portal-data';
import { searchRecords } from './search';
import { archiveRecord, createRecord, listRecords, mergeRecords, readRecord, updateRecord } from './single-records';

export type FoundCall = FoundEndpoint<PortalCall>;

const onObject =
  (action: Action<ObjectCall>): Action =>
  (call) =>
    action({ ...call, type: getObjectType(call.params.objectType ?? '') });

const onPair =
  (action: Action<PairCall>): Action =>
  (call) =>
    action({ ...call, from: getObjectType(call.params.objectType ?? ''), to: getObjectType(call.params.toType ?? '') });

type Carries = Endpoint<PortalCall>['carries'];

type Spec = readonly [method: string, suffix: string];

const objects = ([method, suffix]: Spec, name: string, perform: Action<ObjectCall>, carries?: Carries) =>
  endpoint(`${method} /crm/v3/objects/:objectType${suffix}`, name, onObject(perform), carries);

const links = ([method, suffix]: Spec, name: string, perform: Action<PairCall>, carries?: Carries) =>
  endpoint(`${method} /crm/v4/objects/:objectType/:id/associations${suffix}`, name, onPair(perform), carries);

const pairs = (suffix: string, name: string, perform: Action<PairCall>) =>
  endpoint(
    `POST /crm/associations/2026-03/:objectType/:toType/batch${suffix} /crm/v4/associations/:objectType/:toType/batch${suffix}`,
    name,
    onPair(perform),
    'inputs',
  );

/** The endpoints, those with literal segments before those with parameters in the same position. */
const endpoints: readonly Endpoint<PortalCall>[] = [
  objects(['POST', '/batch/create'], 'batch-create', batchCreate, 'inputs'),
  objects(['POST', '/batch/update'], 'batch-update', batchUpdate, 'inputs'),
  objects(['POST', '/batch/upsert'], 'batch-upsert', batchUpsert, 'inputs'),
  objects(['POST', '/batch/read'], 'batch-read', batchRead, 'inputs'),
  objects(['POST', '/batch/archive'], 'batch-archive', batchArchive, 'inputs'),
  objects(['POST', '/search'], 'search', searchRecords),
  objects(['POST', '/merge'], 'merge', mergeRecords),
  objects(['POST', ''], 'create', createRecord, 'one'),
  objects(['GET', ''], 'list', listRecords),
  objects(['PATCH', '/:id'], 'update', updateRecord, 'one'),
  objects(['GET', '/:id'], 'read', readRecord, 'one'),
  objects(['DELETE', '/:id'], 'archive', archiveRecord, 'one'),
  links(['PUT', '/default/:toType/:toId'], 'associate', associateByDefault, 'one'),
  links(['PUT', '/:toType/:toId'], 'associate', associate, 'one'),
  links(['DELETE', '/:toType/:toId'], 'dissociate', dissociate, 'one'),
  links(['GET', '/:toType'], 'associations', listAssociations),
  pairs('/create', 'batch-associate', batchAssociate),
  pairs('/read', 'batch-associations', batchReadAssociations),
  endpoint('GET /crm/v3/properties/:objectType', 'properties', onObject(listProperties)),
  endpoint(
    'GET /crm-object-schemas/v3/schemas/:objectType /crm-object-schemas/2026-03/schemas/:objectType',
    'schema',
    onObject(readSchema),
  ),
  endpoint('GET /account-info/v3/details', 'account-details', accountDetails),
];

/** The endpoint at an address; undefined for a path or a method that HubSpot does not have. */
export function findEndpoint(method: string, path: string): FoundCall | undefined {
  const segments = path.replace(/\/$/, '').split('/').map(decodeSegment);
  if (!segments.every((segment) => segment !== undefined)) return undefined;
  return endpointsAt(endpoints, segments).find((found) => found.endpoint.method === method);
}
