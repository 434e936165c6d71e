import type { WebhookEvent } from '@sluice/types';

/**
 * The body of a message to an incoming webhook of Slack: one text for people. It names the customer, never a value of a record.
 * Source: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 * @param consoleUrl where the console is, with a slash at its end
 */
export function slackBody(event: WebhookEvent, consoleUrl: string): string {
  return JSON.stringify({ text: textOf(event, consoleUrl) });
}

function textOf({ notificationType, data }: WebhookEvent, consoleUrl: string): string {
  if (!('groupRef' in data)) return `Sluice: ${notificationType}. Alerts of this project are posted here.`;
  const { groupRef, groupName, consumerRef, provider } = data;
  const customer = groupName === '' || groupName === groupRef ? groupRef : `${groupName} (${groupRef})`;
  const page = 'installationId' in data ? `/${data.installationId}` : `?search=${encodeURIComponent(groupRef)}`;
  const link = `<${consoleUrl}#/customers${page}|Open in the console>`;
  const refuses = `${provider} refuses the credentials that ${plain(consumerRef)} connected`;
  return `${plain(customer)}: ${problemOf()} ${link}`;

  function problemOf(): string {
    if (notificationType === 'connection.error') return `${refuses}. Let the customer connect again.`;
    if (notificationType !== 'installation.unhealthy') return `${notificationType}.`;
    const cause = data.reason === 'bad_credentials' ? refuses : 'its latest five operations failed';
    return `${plain(data.integrationName)} is unhealthy: ${cause}.`;
  }
}

/** Names are the customer's: none may be read as a link or as a mention. Source: https://docs.slack.dev/messaging/formatting-message-text */
function plain(name: string): string {
  return name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
