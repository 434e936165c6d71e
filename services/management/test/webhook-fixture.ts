import { until } from '@sluice/testkit';
import type { CreatedWebhookEndpoint, WebhookAttempt, WebhookMessage, WebhookMessageListReply } from '@sluice/types';
import { startManagement, type ProjectWithKey, type RunningManagement } from './start-management';

/** A management service that may send to this machine, and short words for its webhooks. */
export interface WebhookFixture {
  readonly management: RunningManagement;
  readonly project: ProjectWithKey;
  /** Path of the project's endpoints, and of what is behind them. */
  path(rest?: string): string;
  send(
    method: 'get' | 'post' | 'patch' | 'delete',
    rest: string,
    body?: object,
  ): Promise<{ status: number; body: unknown }>;
  addEndpoint(url: string, more?: object): Promise<CreatedWebhookEndpoint>;
  sendTest(endpointId: string): Promise<WebhookMessage>;
  messages(endpointId: string): Promise<readonly WebhookMessage[]>;
  attempts(endpointId: string, messageId: string): Promise<readonly WebhookAttempt[]>;
  /** Waits until a message has so many attempts that ended. */
  attempted(endpointId: string, messageId: string, count?: number): Promise<readonly WebhookAttempt[]>;
  /** Waits until a message is no longer pending. */
  ended(endpointId: string, messageId: string): Promise<WebhookMessage>;
  stop(): Promise<void>;
}

/** 127.0.0.1 alone: another address of this machine is as private as everywhere. */
const loopback = { SLUICE_WEBHOOK_EGRESS_ALLOW: '127.0.0.1/32' };

export async function startWebhooks(env: Readonly<Record<string, string>> = {}): Promise<WebhookFixture> {
  const management = await startManagement(undefined, undefined, { ...loopback, ...env });
  const project = await management.newProject();
  const path = (rest = '') => `/v1/projects/${project.id}/webhook-endpoints${rest}`;
  const send: WebhookFixture['send'] = async (method, rest, body) => {
    const test = management.as(project.key)[method](path(rest));
    const reply = await (body === undefined ? test : test.send(body));
    return { status: reply.status, body: reply.body as unknown };
  };
  const attempts = async (endpointId: string, messageId: string) =>
    (await send('get', `/${endpointId}/messages/${messageId}/attempts`)).body as WebhookAttempt[];
  return {
    management,
    project,
    path,
    send,
    attempts,
    addEndpoint: async (url, more = {}) => {
      const { status, body } = await send('post', '', { url, ...more });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body as CreatedWebhookEndpoint;
    },
    sendTest: async (endpointId) => (await send('post', `/${endpointId}:test`)).body as WebhookMessage,
    messages: async (endpointId) =>
      ((await send('get', `/${endpointId}/messages`)).body as WebhookMessageListReply).results,
    attempted: (endpointId, messageId, count = 1) =>
      until(`${count} attempts`, async () => {
        const found = (await attempts(endpointId, messageId)).filter((attempt) => attempt.class !== undefined);
        return found.length >= count ? found : undefined;
      }),
    ended: (endpointId, messageId) =>
      until('the message ends', async () => {
        const message = (await send('get', `/${endpointId}/messages/${messageId}`)).body as WebhookMessage;
        return message.status === 'pending' ? undefined : message;
      }),
    stop: () => management.stop(),
  };
}
