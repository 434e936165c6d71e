import { NotFoundError } from '@sluice/errors';
import type { Logger, Metrics } from '@sluice/telemetry';
import type { Connector, ConnectorRegistry } from './connector';
import { createHttpClient, type HttpClient } from './http-client';
import { createHubspotApi } from './hubspot/call-hubspot';
import { authorizeUrlOf } from './hubspot/authorize';
import { createHubspotConnector } from './hubspot/connector';
import { hubspotUrls, type HubspotVersion } from './hubspot/urls';
import { createSalesforceApi } from './salesforce/call-salesforce';
import { createSalesforceConnector } from './salesforce/connector';

/** Base URLs of the providers. */
export interface ProviderUrls {
  readonly hubspot: string;
  /** Where Salesforce users log in and tokens are given. */
  readonly salesforceLogin: string;
  /** In place of every Salesforce instance; for the sandbox. @default the instance that the workspace names */
  readonly salesforceInstance?: string;
}

export interface ConnectorsOptions {
  /** Base URL per provider. A connector sends to its own origin and nowhere else. */
  readonly urls: ProviderUrls;
  /** Bound of a whole provider call, connecting included, in milliseconds. */
  readonly callTimeoutMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** @default 'v3' */
  readonly hubspotVersion?: HubspotVersion;
}

/** Every connector of this build. They hold connections, but no state of a record. */
export function createConnectors(options: ConnectorsOptions): ConnectorRegistry {
  const { urls, callTimeoutMs, logger, metrics, hubspotVersion = 'v3' } = options;
  const clients: HttpClient[] = [];
  const clientOf = (baseUrl: string): HttpClient => {
    const client = createHttpClient({ baseUrl, callTimeoutMs });
    clients.push(client);
    return client;
  };
  const hubspot = createHubspotConnector(
    createHubspotApi({ client: clientOf(urls.hubspot), urls: hubspotUrls(hubspotVersion), logger, metrics }),
    authorizeUrlOf(urls.hubspot),
  );
  const salesforce = createSalesforceConnector(
    createSalesforceApi({
      client: clientOf(urls.salesforceLogin),
      loginUrl: urls.salesforceLogin,
      ...(urls.salesforceInstance !== undefined && { instanceUrl: urls.salesforceInstance }),
      logger,
      metrics,
    }),
  );
  const connectors = new Map<string, Connector>(
    [hubspot, salesforce].map((connector) => [connector.provider, connector]),
  );
  const find = (provider: string) => connectors.get(provider);
  return {
    find,
    all: () => [...connectors.values()],
    get(provider) {
      const connector = find(provider);
      if (connector) return connector;
      const known = [...connectors.keys()].join(', ');
      throw new NotFoundError({
        code: 'provider.unknown',
        detail: `the provider '${provider}' is not known; known: ${known}`,
      });
    },
    close: async () => void (await Promise.all(clients.map((client) => client.close()))),
  };
}
