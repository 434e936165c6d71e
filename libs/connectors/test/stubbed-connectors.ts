import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { Connector, ConnectorRegistry } from '../src/connector';
import { createConnectors, type ConnectorsOptions } from '../src/registry';
import { patientMs, startProviderStub, type ProviderStub } from './provider-stub';

/** Connectors to a stub in place of every provider, new for each test, because descriptions are kept. */
export interface StubbedConnectors {
  readonly stub: ProviderStub;
  readonly connectors: ConnectorRegistry;
  readonly hubspot: Required<Connector>;
  readonly salesforce: Required<Connector>;
}

export interface StubbedConnectorsHarness {
  readonly metrics: ReturnType<typeof createMetrics>;
  /** Others to the same stub, which end with the test. */
  readonly open: (more?: Partial<ConnectorsOptions>) => ConnectorRegistry;
  /** Others whose login is the stub, while accounts are at addresses of their own. */
  readonly openDirect: () => ConnectorRegistry;
}

/** To be called once per test file, outside of every test. @param each is given what a test uses, before each of them */
export function useStubbedConnectors(each: (opened: StubbedConnectors) => void): StubbedConnectorsHarness {
  const metrics = createMetrics('test');
  let stub: ProviderStub;
  let opened: ConnectorRegistry[] = [];
  const open: StubbedConnectorsHarness['open'] = (more = {}) => {
    const { url } = stub;
    const urls = { hubspot: url, salesforceLogin: url, salesforceInstance: url, declared: url };
    const registry = createConnectors({ urls, callTimeoutMs: patientMs, logger: silentLogger, metrics, ...more });
    opened.push(registry);
    return registry;
  };
  beforeAll(async () => {
    stub = await startProviderStub();
  });
  beforeEach(() => {
    const connectors = open();
    const get = (name: string) => connectors.get(name) as Required<Connector>;
    each({ stub, connectors, hubspot: get('hubspot'), salesforce: get('salesforce') });
  });
  afterEach(async () => {
    await Promise.all(opened.map((registry) => registry.close()));
    opened = [];
  });
  afterAll(() => stub.close());
  return { metrics, open, openDirect: () => open({ urls: { hubspot: stub.url, salesforceLogin: stub.url } }) };
}
