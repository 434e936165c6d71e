import type { WebhookEvent } from '@sluice/types';
import { slackBody } from './slack-body';

const data = {
  projectId: 'p',
  provider: 'hubspot',
  connectionId: 'k',
  groupRef: 'acme',
  groupName: 'Acme <!channel>',
  consumerRef: 'ann',
  consumerName: 'Ann',
};
const installed = { ...data, integrationId: 'n', integrationName: 'crm', installationId: 'i' };
const event = (notificationType: string, more: object): WebhookEvent =>
  ({ version: '1', id: 'e', createTime: 't', notificationType, data: more }) as WebhookEvent;

const link = (page: string) => `<https://sluice.example/console/#/customers${page}|Open in the console>`;
const customer = 'Acme &lt;!channel&gt; (acme)';
const refuses = 'hubspot refuses the credentials that ann connected';

it.each([
  ['connection.error', data, `${customer}: ${refuses}. Let the customer connect again. ${link('?search=acme')}`],
  [
    'installation.unhealthy',
    { ...installed, reason: 'bad_credentials' },
    `${customer}: crm is unhealthy: ${refuses}. ${link('/i')}`,
  ],
  [
    'installation.unhealthy',
    { ...installed, groupName: '', reason: 'operations_failed' },
    `acme: crm is unhealthy: its latest five operations failed. ${link('/i')}`,
  ],
  ['endpoint.test', { projectId: 'p' }, 'Sluice: endpoint.test. Alerts of this project are posted here.'],
])('%s as a text, in which a name is never a mention', (type, of, text) => {
  expect(JSON.parse(slackBody(event(type, of), 'https://sluice.example/console/'))).toEqual({ text });
});
