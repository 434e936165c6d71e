import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { Connector } from '../src/connector';
import { createDeclaredApi } from '../src/declarative/call-provider';
import { createDeclaredConnector } from '../src/declarative/connector';
import type { Declaration } from '../src/declarative/declaration';
import { loadDeclarations } from '../src/declarative/load-declarations';
import type { HttpClient, HttpRequest } from '../src/http-client';
import { createHubspotApi } from '../src/hubspot/call-hubspot';
import { createHubspotConnector } from '../src/hubspot/connector';
import { createSalesforceApi } from '../src/salesforce/call-salesforce';
import { createSalesforceConnector } from '../src/salesforce/connector';
import { failedOutcome, type Failing } from './failed-outcome';

export const fileOf = (provider: string): Declaration => {
  const file = loadDeclarations().find(({ name }) => name === provider);
  if (file === undefined) throw new Error(`there is no file of ${provider}`);
  return file;
};

type Watch = (request: HttpRequest) => void;

/** The connector of any provider, whose every request meets this. */
export function connectorOf(provider: string, failing: Failing, watch: Watch = () => undefined): Connector {
  const send: HttpClient['send'] = (request) => {
    watch(request);
    return Promise.resolve(failedOutcome(failing));
  };
  const client: HttpClient = { send, close: () => Promise.resolve() };
  const options = { client, logger: silentLogger, metrics: createMetrics('test') };
  if (provider === 'hubspot') {
    return createHubspotConnector(createHubspotApi(options), 'https://app.example/');
  }
  if (provider === 'salesforce') {
    return createSalesforceConnector(createSalesforceApi({ ...options, loginUrl: 'https://login.example' }));
  }
  return createDeclaredConnector(createDeclaredApi({ ...options, file: fileOf(provider) }));
}
