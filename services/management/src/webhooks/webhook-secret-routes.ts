import { json, route, type Router } from '@sluice/http';
import { webhookSecretSchema } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getProject } from '../projects/get-project';
import { rotateSecret, showSecret } from './webhook-secrets';
import { noQuery, webhookPath } from '../paths';

interface EndpointParts {
  readonly params: { projectIdOrName: string; endpointId: string };
}

/** `GET P/webhook-endpoints/{endpointId}/secret` and `POST P/webhook-endpoints/{endpointId}:rotate-secret`. */
export function webhookSecretRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${webhookPath}/secret`,
    route<EndpointParts>({
      operationId: 'getWebhookSecret',
      summary: 'Show the secret of a webhook endpoint',
      tags: ['Webhooks'],
      replies: { 200: json(webhookSecretSchema) },
      scopes: ['full'],
      query: noQuery,
      handle: async ({ caller, params: { projectIdOrName, endpointId } }) => {
        const { id: projectId } = await getProject(context, caller, projectIdOrName);
        return { body: await showSecret(context, { projectId, endpointId }) };
      },
    }),
  );
  router.post(
    `${webhookPath}\\:rotate-secret`,
    route<EndpointParts>({
      operationId: 'rotateWebhookSecret',
      summary: 'Make a new secret for a webhook endpoint',
      description: 'Messages of the next day carry a signature of the new secret and one of the secret until now.',
      tags: ['Webhooks'],
      replies: { 200: json(webhookSecretSchema) },
      scopes: ['full'],
      query: noQuery,
      handle: async ({ caller, params: { projectIdOrName, endpointId } }) => {
        const { id: projectId } = await getProject(context, caller, projectIdOrName);
        return { body: await rotateSecret(context, { projectId, endpointId }) };
      },
    }),
  );
}
