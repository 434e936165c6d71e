import { nearestNames } from '@sluice/config';
import { NotFoundError } from '@sluice/errors';
import type { Logger, Metrics } from '@sluice/telemetry';
import type { Connector, ConnectorRegistry } from './connector';
import { isLoopback } from './declarative/address-rules';
import { createDeclaredApi } from './declarative/call-provider';
import { createDeclaredConnector } from './declarative/connector';
import { completed } from './declarative/declaration';
import { loadDeclarations, readConnectOnly } from './declarative/load-declarations';
import { namesIn } from './declarative/template';
import { addressPolicy } from './egress/address-policy';
import { type HttpClient, type TappedExchange, createHttpClient, tapped } from './http-client';
import { authorizeUrlOf } from './hubspot/tokens';
import { createHubspotApi } from './hubspot/call-hubspot';
import { createHubspotConnector } from './hubspot/connector';
import { endedPins, pinText } from './pins';
import { createReplyRoom, type ReplyRoom } from './reply-body';
import { createSalesforceApi } from './salesforce/call-salesforce';
import { createSalesforceConnector } from './salesforce/connector';

/** Base URLs of the providers. */
export interface ProviderUrls {
  readonly hubspot: string;
  /** Where Salesforce users log in and tokens are given. */
  readonly salesforceLogin: string;
  /** In place of every Salesforce instance; for the sandbox. @default the instance that the workspace names */
  readonly salesforceInstance?: string;
  /**
   * In place of every host of the declared providers: `{declared}/{provider}` before the path; for the sandbox. A file whose every host is this
   * machine keeps it. @default the files'
   */
  readonly declared?: string;
}

export interface ConnectorsOptions {
  /** Base URL per provider. A connector sends to its own origin and nowhere else. */
  readonly urls: ProviderUrls;
  /** Folder of provider files beside the shipped ones. Read once, here. @default none */
  readonly providersDir?: string | undefined;
  /** Bound of a whole provider call, connecting included, in milliseconds. */
  readonly callTimeoutMs: number;
  /** Networks (CIDR) that calls may reach although they are private, and without TLS. The origins of `urls` need none. @default none */
  readonly egressAllow?: readonly string[];
  /**
   * Whether a call whose connection cannot be made is begun again for some seconds: for services whose callers wait for the answer. Nothing was
   * sent then. @default false: who queues calls has a backoff of its own
   */
  readonly reconnects?: boolean;
  /** Shared with what else of the process reads replies. @default one of its own */
  readonly replyRoom?: ReplyRoom;
  /** Called with every exchange, with its credentials, once it is over. Must not throw. @default not called */
  readonly tap?: (exchange: TappedExchange) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The names nearest to one that is not known, as the end of a sentence. */
export function nearProviders(known: Iterable<string>, name: string): string {
  return `the nearest are ${nearestNames(name, known, 3).join(', ')}; GET /v1/providers lists all`;
}

/** Never connected to (RFC 2606), because every request of a declared provider names its origin. */
const nowhere = 'https://declared.invalid';

/**
 * Every connector of this build and of its provider files. They hold connections, but no state of a record.
 * @throws ConfigError with every problem of every file
 */
export function createConnectors(options: ConnectorsOptions): ConnectorRegistry {
  const { urls, callTimeoutMs, logger, metrics, egressAllow = [], reconnects = false } = options;
  const { replyRoom = createReplyRoom() } = options;
  const clients: HttpClient[] = [];
  const policy = addressPolicy(egressAllow);
  const clientOf = (baseUrl: string, ...trusted: readonly string[]): HttpClient => {
    const trustedOrigins = trusted.map((url) => new URL(url).origin);
    const egress = { policy, trustedOrigins };
    const direct = createHttpClient({ baseUrl, callTimeoutMs, reconnects, replyRoom, egress });
    const client = options.tap ? tapped(direct, options.tap) : direct;
    clients.push(client);
    return client;
  };
  const observed = { logger, metrics };
  const hubspot = createHubspotConnector(
    createHubspotApi({ client: clientOf(urls.hubspot), ...observed }),
    authorizeUrlOf(urls.hubspot),
  );
  const { salesforceLogin: loginUrl, salesforceInstance: instanceUrl } = urls;
  const salesforceClient = clientOf(loginUrl, ...(instanceUrl === undefined ? [] : [instanceUrl]));
  const salesforce = createSalesforceConnector(
    createSalesforceApi({
      client: salesforceClient,
      loginUrl,
      ...(instanceUrl !== undefined && { instanceUrl }),
      ...observed,
    }),
  );
  const files = loadDeclarations(options.providersDir);
  // A host without variables is the operator's choice, as an address in the settings is.
  const fixed = files.map(({ baseUrl }) => baseUrl).filter((url) => namesIn(url).length === 0);
  // One for all files, so connections are counted and closed together.
  const declaredClient = clientOf(urls.declared ?? nowhere, ...fixed);
  const named = new Set(files.map(({ name }) => name));
  // A file knows more of a provider than its row.
  const rows = readConnectOnly().filter(({ name }) => !named.has(name));
  const declared = [...files, ...rows.map(completed)].map((file) => {
    // A file for an address on this machine is an imitation already: the example of the guide, or a developer's own.
    const isKept = urls.declared === undefined || isLoopback(file);
    const override = isKept ? undefined : `${urls.declared.replace(/\/+$/, '')}/${file.name}`;
    return createDeclaredConnector(createDeclaredApi({ file, client: declaredClient, override, ...observed }));
  });
  for (const pin of endedPins(new Date())) {
    const remedy = 'Update Sluice, or move the version in the provider file; docs/providers/pins.md.';
    logger.warn({ provider: pin.of, reason: pinText(pin), remedy }, 'provider.version-ended');
  }
  const connectors = new Map<string, Connector>(
    [hubspot, salesforce, ...declared].map((connector) => [connector.provider, connector]),
  );
  const find = (provider: string) => connectors.get(provider);
  return {
    find,
    all: () => [...connectors.values()],
    names: () => connectors.keys(),
    get(provider) {
      const connector = find(provider);
      if (connector) return connector;
      throw new NotFoundError({
        code: 'provider.unknown',
        detail: `the provider '${provider.slice(0, 100)}' is not known; ${nearProviders(connectors.keys(), provider)}`,
      });
    },
    close: async () => void (await Promise.all(clients.map((client) => client.close()))),
  };
}
