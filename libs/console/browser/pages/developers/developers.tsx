import { NoPage } from '../../parts/no-page';
import { hrefOf } from '../../use-route';
import type { Session } from '../../session';
import { DeployPage } from './deploy-manifest';
import { IntegrationPage, IntegrationsPage } from './integrations';
import { KeysPage } from './keys';
import { ProviderAppsPage } from './provider-apps';
import { TryWritePage } from './try-write';
import { WebhookPage } from './webhook';
import { WebhooksPage } from './webhooks';

const parts = [
  ['integrations', 'Integrations'],
  ['provider-apps', 'Provider apps'],
  ['keys', 'Keys'],
  ['webhooks', 'Webhooks'],
  ['try', 'Try a write'],
] as const;

interface DevelopersOptions {
  readonly session: Session;
  /** Of the address, behind `developers`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** The settings of a developer who builds on Sluice, part by part. */
export function DevelopersPage({ session, path: [part = parts[0][0], id], query }: DevelopersOptions) {
  return (
    <>
      <nav class="spans parts" aria-label="For developers">
        {parts.map(([name, title]) => (
          <a key={name} href={hrefOf(`developers/${name}`)} aria-current={name === part ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {part === 'webhooks' && id !== undefined ? (
        <WebhookPage key={id} session={session} endpointId={id} query={query} />
      ) : part === 'webhooks' ? (
        <WebhooksPage session={session} />
      ) : part === 'integrations' && id === 'deploy' ? (
        <DeployPage session={session} query={query} />
      ) : part === 'integrations' && id !== undefined ? (
        <IntegrationPage key={id} session={session} integrationId={id} />
      ) : part === 'integrations' ? (
        <IntegrationsPage session={session} />
      ) : part === 'provider-apps' ? (
        <ProviderAppsPage session={session} />
      ) : part === 'try' ? (
        <TryWritePage session={session} />
      ) : part === 'keys' ? (
        <KeysPage session={session} />
      ) : (
        <NoPage path="developers/integrations" title="the integrations" />
      )}
    </>
  );
}
