import { providerProblemCodes } from '@sluice/errors';
import { invalid, jsonText, route, type RequestLimits, type Router, type RouteRequest, json } from '@sluice/http';
import { reachOf, searchRequestSchema, type SearchRequest, searchReplySchema } from '@sluice/types';
import type { SearchContext } from '../context';
import { searchRecords } from '../search-records';

interface Parts {
  readonly params: { projectIdOrName: string; integrationId: string };
  readonly query: { groupRef: string };
  readonly body: SearchRequest;
}

const query = {
  type: 'object',
  additionalProperties: false,
  required: ['groupRef'],
  properties: { groupRef: { type: 'string', minLength: 1 } },
} as const;

/** `POST {search_url}/projects/{projectIdOrName}/integrations/{integrationId}?groupRef=` */
export function searchRecordsRoute(
  router: Router,
  context: SearchContext,
  limits: Pick<RequestLimits, 'assertGroup'>,
): void {
  router.post(
    '/v1/projects/:projectIdOrName/integrations/:integrationId',
    route<Parts>({
      operationId: 'searchRecords',
      summary: 'Search records',
      tags: ['Search'],
      example: {
        objectName: 'contacts',
        fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'zoe@example.com' }],
      },
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
      query,
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
    }),
  );
}

/** The specification's header; the published clients leave it out. Any other value means another service. */
function checkRequestType(request: RouteRequest<Parts>): void {
  const type = request.header('x-sluice-request-type');
  if (type === undefined || type === 'search') return;
  const detail = 'must be search, or be left out';
  throw invalid([{ in: 'header', name: 'x-sluice-request-type', detail, value: type.slice(0, 80) }]);
}
