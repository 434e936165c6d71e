import {
  type Auth,
  type Connector,
  fieldFault,
  fieldOfObject,
  type ProviderRecord,
  type RecordPage,
} from '@sluice/connectors';
import { providerProblemCodes, ValidationError } from '@sluice/errors';
import {
  filterText,
  invalid,
  json,
  jsonText,
  queryOf,
  type Router,
  type RouteRequest,
  routesUnder,
} from '@sluice/http';
import { callAccount } from '@sluice/installations';
import type { InstallationNames } from '@sluice/store';
import { currentStep } from '@sluice/telemetry';
import {
  type InstallationContext,
  limits,
  reachOf,
  type SearchReply,
  searchReplySchema,
  type SearchRequest,
  searchRequestSchema,
  type SearchResultItem,
} from '@sluice/types';
import { blockingRefused, checkModule, laneBlocked, takeLaneQuota } from '@sluice/writes';
import type { SearchContext } from '../context';
import {
  type FieldNames,
  fieldNamesOf,
  fieldsToAsk,
  getSearchableObject,
  toProviderFilters,
  toResultItem,
} from '../searchable-object';

const path = '/v1/projects/:projectIdOrName/integrations/:integrationId';
/** `POST {search_url}/projects/{projectIdOrName}/integrations/{integrationId}?groupRef=` */
export function searchRecordsRoute(router: Router, context: SearchContext): void {
  routesUnder(router, path, { find: () => undefined }).post('', 'searchRecords', {
    summary: 'Search records',
    tags: ['Search'],
    requestHeaders: {
      'x-sluice-request-type': { type: 'string', enum: ['search'], description: 'search, or left out.' },
    },
    replies: { 200: json(searchReplySchema) },
    problems: [
      'group.not-found',
      'installation.not-found',
      'connection.not-found',
      'search.object-not-in-manifest',
      'search.object-disabled',
      'search.capability-missing',
      ...providerProblemCodes,
    ],
    scopes: ['search', 'token'],
    query: queryOf({ groupRef: filterText }, 'groupRef'),
    body: searchRequestSchema,
    handle: async (request) => {
      await context.requestLimits.assertGroup(request.caller, request.query.groupRef);
      checkRequestType(request);
      const { caller, params, query } = request;
      const page = await searchRecords(context, { ...reachOf(caller), ...params, ...query }, request);
      return { stream: jsonText(page) };
    },
  });
}

/** The specification's header; the published clients leave it out. Any other value means another service. */
function checkRequestType(request: Pick<RouteRequest<object>, 'header'>): void {
  const type = request.header('x-sluice-request-type');
  if (type === undefined || type === 'search') return;
  const detail = 'must be search, or be left out';
  throw invalid([{ in: 'header', name: 'x-sluice-request-type', detail, value: type.slice(0, 80) }]);
}

/** A search whose body is checked. `signal` is aborted when its caller leaves; until the reply is sent `held` holds what the provider's page takes. */
type SearchCall = Pick<RouteRequest<{ readonly body: SearchRequest }>, 'body' | 'traceparent' | 'signal' | 'held'>;

type Searcher = Connector & Required<Pick<Connector, 'search'>>;

/** A `SearchReply` whose records are made on demand. */
type FoundPage = Omit<SearchReply, 'results'> & { readonly results: Iterable<SearchResultItem> };

/**
 * One page of the provider's records that equal every filter, each built when it is requested: a page may have 10 MB. Installation, credentials and
 * the account's block are read as they are now, in one statement, so a change is in force for the next search.
 * @throws ProviderError for what the provider refuses; nothing is retried
 */
async function searchRecords(
  context: SearchContext,
  names: InstallationNames,
  { body, traceparent, signal, held }: SearchCall,
): Promise<FoundPage> {
  const { installation, blockedMs, live } = await context.installations.resolveAccount(names);
  const object = getSearchableObject(installation, body.objectName);
  const connector = getSearcher(context, installation);
  const { fields: ofFields } = connector.capabilities;
  const { objectName } = object.declared;
  const fieldNames = fieldNamesOf(object, ofFields.names, fieldOfObject(ofFields, objectName));
  const filters = toProviderFilters(body.fieldFilters, fieldNames, (name) => fieldFault(ofFields, objectName, name));
  const { projectId, connectionId, laneId, groupRef, provider } = installation;
  currentStep()?.note({ objectName, provider: installation.provider });
  // The same account as writes use: its block holds for searches too, and so does its quota where they have none of their own.
  if (blockedMs > 0) throw laneBlocked(blockedMs);
  const known = await live();
  const quotas = context.pace(signal);
  await takeLaneQuota({ store: context.store, quotas }, { projectId, laneId }, connector);
  const ask = async (auth: Auth): Promise<RecordPage> => {
    const call = { auth, objectName, traceparent };
    const fields = await fieldsToAsk(connector, call, { object, names: fieldNames, filters });
    return connector.search({ ...call, filters, fields, limit: limits.searchPageRecords, signal, held });
  };
  const { records, hasMore } = await blockingRefused(
    context,
    { projectId, laneId, connector, used: { provider, groupRef } },
    () => callAccount(context, { projectId, connectionId }, ask, known),
  );
  return { results: itemsOf(records, fieldNames), ...(hasMore && { truncated: true }) };
}

function* itemsOf(records: readonly ProviderRecord[], names: FieldNames): Generator<SearchResultItem> {
  for (const record of records) yield toResultItem(record, names);
}

function getSearcher({ connectors }: SearchContext, { provider, manifest }: InstallationContext): Searcher {
  const connector = connectors.get(provider);
  checkModule(connector, manifest.module, 'search.capability-missing');
  if (connector.capabilities.search !== false && connector.search !== undefined) return connector as Searcher;
  const detail = `cannot be searched at ${provider}`;
  const issues = [{ in: 'body' as const, name: 'objectName', detail }];
  throw new ValidationError({ code: 'search.capability-missing', detail: `objectName ${detail}.`, issues });
}
