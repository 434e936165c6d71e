import { providerProblemCodes, ValidationError } from '@sluice/errors';
import { json, type Router } from '@sluice/http';
import { hydratedRevisionSchema, limits, nameText } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getConnection } from '../connections/get-connection';
import { hydratedRevisionText } from './hydrate-revision';
import { integrationPath } from '../paths';
import { integrationRoute } from './integration-route';

interface HydrationParts {
  readonly params: { projectIdOrName: string; integrationId: string; revisionId: string };
  readonly query: { connectionId: string };
}

const hydrationQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['connectionId'],
  properties: { connectionId: nameText },
} as const;

/** `GET I/revisions/{revisionId}:hydrate`. */
export function revisionRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${integrationPath}/revisions/:revisionId\\:hydrate`,
    integrationRoute<HydrationParts>(context, {
      operationId: 'getHydratedRevision',
      summary: 'Get a revision with the fields of an account',
      description: 'What an installation form shows. Fields are at most a minute old.',
      tags: ['Integrations'],
      replies: { 200: json(hydratedRevisionSchema) },
      problems: ['revision.not-found', 'connection.not-found', 'connection.scheme-mismatch', ...providerProblemCodes],
      scopes: ['frontend', 'read', 'token'],
      query: hydrationQuery,
      replyBytesMax: limits.pageBytesMax,
      handle: async ({ caller, params, query, traceparent }, integration) => {
        const by = { caller, name: 'connectionId' };
        const connection = await getConnection(context, integration.projectId, query.connectionId, by);
        if (connection.provider !== integration.provider)
          throw otherProvider(connection.provider, integration.provider);
        const { revisionId } = params;
        return { stream: hydratedRevisionText(context, { integration, revisionId, connection, traceparent }) };
      },
    }),
  );
}

function otherProvider(provider: string, wanted: string): ValidationError {
  const detail = `leads to ${provider}, and the integration is for ${wanted}`;
  const issues = [{ in: 'query' as const, name: 'connectionId', detail }];
  return new ValidationError({ code: 'connection.scheme-mismatch', detail: `connectionId ${detail}.`, issues });
}
