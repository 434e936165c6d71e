import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { Connector } from '../src/connector';
import { createDeclaredApi } from '../src/declarative/call-provider';
import { createDeclaredConnector } from '../src/declarative/connector';
import type { Declaration } from '../src/declarative/declaration';
import type { HttpClient, HttpRequest } from '../src/http-client';
import { createHubspotApi } from '../src/hubspot/call-hubspot';
import { createHubspotConnector } from '../src/hubspot/connector';
import { createSalesforceApi } from '../src/salesforce/call-salesforce';
import { createSalesforceConnector } from '../src/salesforce/connector';

/** A connector whose requests end here: what would go over the wire, without the wire. */
export interface Captured {
  readonly connector: Required<Connector>;
  /** What was sent since the last `taken`. */
  readonly taken: () => HttpRequest[];
}

type Reply = (request: HttpRequest) => unknown;

function capture(reply: Reply): { client: HttpClient; taken: Captured['taken'] } {
  let requests: HttpRequest[] = [];
  const client: HttpClient = {
    send(request) {
      requests.push(request);
      return Promise.resolve({
        kind: 'reply',
        durationMs: 1,
        reply: { status: 200, headers: {}, json: reply(request) },
      });
    },
    close: () => Promise.resolve(),
  };
  const taken = () => {
    const all = requests;
    requests = [];
    return all;
  };
  return { client, taken };
}

const shared = () => ({ logger: silentLogger, metrics: createMetrics('test') });

export function captureHubspot(reply: Reply): Captured {
  const { client, taken } = capture(reply);
  const api = createHubspotApi({ client, ...shared() });
  return { connector: createHubspotConnector(api, 'https://app.example/authorize') as Required<Connector>, taken };
}

export function captureSalesforce(reply: Reply): Captured {
  const { client, taken } = capture(reply);
  const api = createSalesforceApi({ client, loginUrl: 'https://login.example', ...shared() });
  return { connector: createSalesforceConnector(api) as Required<Connector>, taken };
}

/** At the addresses of the file itself, which nobody asks. */
export function captureDeclared(file: Declaration, reply: Reply): Captured {
  const { client, taken } = capture(reply);
  const connector = createDeclaredConnector(createDeclaredApi({ file, client, ...shared() }));
  return { connector: connector as Required<Connector>, taken };
}
