import { json, route, type Router } from '@sluice/http';
import { webhookMessageSchema, webhookReplayReplySchema } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getProject } from '../projects/get-project';
import { readMoment } from '../read-moment';
import { endpointNotFound, getEnabledEndpoint, messageNotFound } from './webhook-endpoints';
import { noQuery, webhookPath } from '../paths';

interface EndpointParts {
  readonly params: { projectIdOrName: string; endpointId: string };
}

interface MessageParts {
  readonly params: EndpointParts['params'] & { messageId: string };
}

const sinceQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['since'],
  properties: { since: { type: 'string', format: 'date-time' } },
} as const;

/** `POST …:test`, `POST …:replay?since=` and `POST …/messages/{messageId}:replay`. None reads a body. */
export function webhookReplayRoutes(router: Router, context: ManagementContext): void {
  const { webhookMessages } = context.store;
  const enabledEndpoint = async (caller: Parameters<typeof getProject>[1], params: EndpointParts['params']) => {
    const { id: projectId } = await getProject(context, caller, params.projectIdOrName);
    const { id: endpointId } = await getEnabledEndpoint(context, { projectId, endpointId: params.endpointId });
    return { projectId, endpointId };
  };
  router.post(
    `${webhookPath}\\:test`,
    route<EndpointParts>({
      operationId: 'testWebhookEndpoint',
      summary: 'Send a test message',
      description:
        'Of the type endpoint.test, whatever the endpoint asks for. Its attempts say what the receiver answered.',
      tags: ['Webhooks'],
      replies: { 202: json(webhookMessageSchema) },
      problems: ['webhook-endpoint.disabled'],
      scopes: ['full'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const message = await webhookMessages.sendTest(await enabledEndpoint(caller, params));
        if (message === undefined) throw endpointNotFound();
        return { status: 202, body: message };
      },
    }),
  );
  router.post(
    `${webhookPath}\\:replay`,
    route<EndpointParts & { readonly query: { readonly since: string } }>({
      operationId: 'replayFailedWebhookMessages',
      summary: 'Send the failed messages since a moment again',
      description:
        'Oldest first, 100,000 at most: isComplete says whether these were all. The same request, also after one that was cut off, goes on with the rest.',
      tags: ['Webhooks'],
      replies: { 202: json(webhookReplayReplySchema) },
      problems: ['webhook-endpoint.disabled'],
      scopes: ['full'],
      query: sinceQuery,
      handle: async ({ caller, params, query }) => {
        const key = await enabledEndpoint(caller, params);
        const replayed = await webhookMessages.replayFailed(key, readMoment('since', query.since));
        if (replayed === undefined) throw endpointNotFound();
        return { status: 202, body: replayed };
      },
    }),
  );
  router.post(
    `${webhookPath}/messages/:messageId\\:replay`,
    route<MessageParts>({
      operationId: 'replayWebhookMessage',
      summary: 'Send a message again',
      description: 'Whether it was delivered or not, with the same svix-id and all its tries.',
      tags: ['Webhooks'],
      replies: { 202: json(webhookMessageSchema) },
      problems: ['webhook-endpoint.disabled'],
      scopes: ['full'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const key = { ...(await enabledEndpoint(caller, params)), messageId: params.messageId };
        const message = await webhookMessages.replay(key);
        if (message === undefined) throw messageNotFound();
        return { status: 202, body: message };
      },
    }),
  );
}
