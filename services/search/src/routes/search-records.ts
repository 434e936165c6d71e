import { providerProblemCodes } from '@sluice/errors';
import { filterText, invalid, json, jsonText, queryOf, routesUnder } from '@sluice/http';
import type { RequestLimits, Router, RouteRequest } from '@sluice/http';
import { reachOf, searchReplySchema, searchRequestSchema } from '@sluice/types';
import type { SearchContext } from '../context';
import { searchRecords } from '../search-records';

const path = '/v1/projects/:projectIdOrName/integrations/:integrationId';
/** `POST {search_url}/projects/{projectIdOrName}/integrations/{integrationId}?groupRef=` */
export function searchRecordsRoute(
  router: Router,
  context: SearchContext,
  limits: Pick<RequestLimits, 'assertGroup'>,
): void {
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
      await limits.assertGroup(request.caller, request.query.groupRef);
      checkRequestType(request);
      const results = await searchRecords(context, {
        names: {
          ...reachOf(request.caller),
          projectIdOrName: request.params.projectIdOrName,
          integrationId: request.params.integrationId,
          groupRef: request.query.groupRef,
        },
        request: request.body,
        traceparent: request.traceparent,
        signal: request.signal,
        held: request.held,
      });
      return { stream: jsonText({ results }) };
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
