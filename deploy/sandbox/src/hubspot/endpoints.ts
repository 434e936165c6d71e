import type { Action, ApiCall, ObjectCall, PairCall } from './api-call';
import { archiveRecord, batchArchive } from './archive-record';
import { associate, associateByDefault, dissociate, batchReadAssociations, listAssociations } from './associations';
import { batchAssociate, batchAssociateByDefault, batchDissociate } from './batch-associate';
import { batchCreate } from './batch-create';
import { batchRead } from './batch-read';
import { batchUpdate } from './batch-update';
import { batchUpsert } from './batch-upsert';
import { createRecord } from './create-record';
import { listRecords } from './list-records';
import { getObjectType, propertyMetadata } from './property-metadata';
import { readRecord } from './read-record';
import { readSchema } from './read-schema';
import { searchRecords } from './search-records';
import { invalid, HubspotError } from './wire-reply';
import { readJsonObject, readProperties, checkWrite } from './request-body';
import { grantedScopes, USER_ID } from './token-reply';
import { getRecord } from './find-record';
import { presentCreated, presentUpdated } from './present-record';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';
import { dealPipeline, deals, dealStages } from './objects/deals';

/** Closing chances of the stages of the pipeline at the start, in order. */
const probabilities = ['0.2', '0.4', '0.6', '0.8', '0.9', '1.0', '0.0'];

/** `GET /crm/v3/pipelines/{T}`: where the options of `dealstage` and `pipeline` are. Of deals only. */
const listPipelines: Action<ObjectCall> = ({ type }) => {
  if (type !== deals) throw new HubspotError(404, { message: 'resource not found' });
  const stages = dealStages.map((id, displayOrder) => ({
    id,
    label: id,
    displayOrder,
    metadata: { isClosed: String(id.startsWith('closed')), probability: probabilities[displayOrder] },
    archived: false,
  }));
  const pipeline = { id: dealPipeline, label: 'Sales Pipeline', displayOrder: 0, stages, archived: false };
  return { status: 200, body: { results: [pipeline] } };
};

/** `PATCH /crm/v3/objects/{T}/{id}[?idProperty=]` -> 200. Associations in the body are ignored. */
const updateRecord: Action<ObjectCall> = (call) => {
  const { type, records } = call;
  const sent = readProperties(readJsonObject(call.bodyText));
  const record = getRecord(records, call.params.id ?? '', call.query.get('idProperty') ?? undefined);
  const unknown = definitionProblems(type, sent);
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  const values = normaliseValues(sent);
  const failure = checkWrite(records, values, { ownId: record.id, refusal: call.refusals.get(0) });
  if (failure) throw failure;
  return { status: 200, body: presentUpdated(call, records.update(record, values, call.now), values) };
};

/**
 * `POST /crm/v3/objects/{T}/merge` with `{primaryObjectId, objectIdToMerge}` -> 200, the primary record. It takes over
 * the values it lacks and the links; calls under the id that was merged away meet it from then on.
 */
const mergeRecords: Action<ObjectCall> = (call) => {
  const { primaryObjectId, objectIdToMerge } = readJsonObject(call.bodyText);
  const [primary, other] = [primaryObjectId, objectIdToMerge].map((id) => getRecord(call.records, String(id)));
  if (!primary || !other || primary.id === other.id) throw invalid('Cannot merge a record with itself');
  call.data.moveLinks(other.id, primary.id);
  return { status: 200, body: presentCreated(call, call.records.merge(primary, other, call.now)) };
};

/** `GET /account-info/v3/details`: who the token belongs to. Only `portalId` differs between accounts. */
const accountDetails: Action = ({ portalId }) => ({
  status: 200,
  body: {
    portalId,
    accountType: 'STANDARD',
    timeZone: 'UTC',
    companyCurrency: 'EUR',
    additionalCurrencies: [],
    utcOffset: '+00:00',
    utcOffsetMilliseconds: 0,
    uiDomain: 'app.hubspot.com',
    dataHostingLocation: 'na1',
  },
});

/** `POST /oauth/v2/private-apps/get/access-token-info` with `{tokenKey}`: what a private app's key may do. Source: HubSpot's documentation (D). */
const tokenInfo: Action = ({ portalId, bodyText }) => {
  const { tokenKey } = readJsonObject(bodyText);
  if (typeof tokenKey !== 'string' || !tokenKey.startsWith('pat-')) throw invalid('Invalid private app access token');
  return { status: 200, body: { userId: USER_ID, hubId: portalId, appId: 1_234_567, scopes: grantedScopes } };
};

/** `GET /crm/v3/properties/{T}` -> every property with its metadata, sorted by name. */
const listProperties: Action<ObjectCall> = ({ type }) => ({
  status: 200,
  body: { results: propertyMetadata(type) },
});

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
