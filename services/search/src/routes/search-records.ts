import { providerProblemCodes } from '@sluice/errors';
import { invalid, json, jsonText, route } from '@sluice/http';
import type { ParametersOf, RequestLimits, Router, RouteRequest } from '@sluice/http';
import { reachOf, searchReplySchema, searchRequestSchema, type Described, type SearchRequest } from '@sluice/types';
import type { SearchContext } from '../context';
import { searchRecords } from '../search-records';

const path = '/v1/projects/:projectIdOrName/integrations/:integrationId';
const query = {
  type: 'object',
  additionalProperties: false,
  required: ['groupRef'],
  properties: { groupRef: { type: 'string', minLength: 1 } },
} as const;

interface Parts {
  readonly params: ParametersOf<typeof path>;
  readonly query: Described<typeof query>;
  readonly body: SearchRequest;
}

/** `POST {search_url}/projects/{projectIdOrName}/integrations/{integrationId}?groupRef=` */
export function searchRecordsRoute(
  router: Router,
  context: SearchContext,
  limits: Pick<RequestLimits, 'assertGroup'>,
): void {
  router.post(
    path,
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
