import { json, jsonList, route, type Router } from '@sluice/http';
import {
  pageProperties,
  webhookAttemptSchema,
  webhookMessageListReplySchema,
  webhookMessageStates,
  webhookMessageWithPayloadSchema,
  type WebhookMessageState,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { getProject } from '../projects/get-project';
import { byId, readPage, type PagedQuery } from '../operation-pages';
import { getEndpoint, messageNotFound } from './webhook-endpoints';
import { noQuery, webhookPath } from '../paths';

interface ListParts {
  readonly params: { projectIdOrName: string; endpointId: string };
  readonly query: PagedQuery & { readonly status?: WebhookMessageState };
}

interface MessageParts {
  readonly params: { projectIdOrName: string; endpointId: string; messageId: string };
}

const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { status: { type: 'string', enum: webhookMessageStates }, ...pageProperties },
} as const;

/** `GET …/messages`, newest first and always paged; `GET …/messages/{messageId}` and its `/attempts`. */
export function webhookMessageRoutes(router: Router, context: ManagementContext): void {
  const { webhookMessages } = context.store;
  const endpointOf = async (caller: Parameters<typeof getProject>[1], params: ListParts['params']) => {
    const { id: projectId } = await getProject(context, caller, params.projectIdOrName);
    const { id: endpointId } = await getEndpoint(context, { projectId, endpointId: params.endpointId });
    return { projectId, endpointId };
  };
  const findMessage = async (caller: Parameters<typeof getProject>[1], params: MessageParts['params']) => {
    const key = { ...(await endpointOf(caller, params)), messageId: params.messageId };
    const message = await webhookMessages.find(key);
    if (message === undefined) throw messageNotFound();
    return { key, message };
  };
  router.get(
    `${webhookPath}/messages`,
    route<ListParts>({
      operationId: 'listWebhookMessages',
      summary: 'List the messages of a webhook endpoint',
      tags: ['Webhooks'],
      replies: { 200: json(webhookMessageListReplySchema) },
      scopes: ['read'],
      query: listQuery,
      handle: async ({ caller, params, query }) => {
        const key = await endpointOf(caller, params);
        const state = query.status === undefined ? {} : { state: query.status };
        const list = (beforeId: string | undefined, limit: number) =>
          webhookMessages.list(key, { ...state, limit, ...(beforeId === undefined ? {} : { beforeId }) });
        return { body: await readPage(query, byId, list) };
      },
    }),
  );
  router.get(
    `${webhookPath}/messages/:messageId`,
    route<MessageParts>({
      operationId: 'getWebhookMessage',
      summary: 'Get a message with its payload',
      tags: ['Webhooks'],
      replies: { 200: json(webhookMessageWithPayloadSchema) },
      scopes: ['read'],
      query: noQuery,
      handle: async ({ caller, params }) => ({ body: (await findMessage(caller, params)).message }),
    }),
  );
  router.get(
    `${webhookPath}/messages/:messageId/attempts`,
    route<MessageParts>({
      operationId: 'listWebhookAttempts',
      summary: 'List the attempts to deliver a message',
      description: 'The last 100, oldest first: a message may be replayed any number of times.',
      tags: ['Webhooks'],
      replies: { 200: jsonList(webhookAttemptSchema) },
      scopes: ['read'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const { key } = await findMessage(caller, params);
        return { body: await webhookMessages.listAttempts(key) };
      },
    }),
  );
}
