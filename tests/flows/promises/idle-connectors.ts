import { createConnectors, type ConnectorRegistry } from '@sluice/connectors';
import { createMetrics, silentLogger } from '@sluice/telemetry';

/** The connectors of the suite that calls this, for what they declare: they reach no provider. */
export function idleConnectors(): () => ConnectorRegistry {
  let connectors: ConnectorRegistry;
  beforeAll(() => {
    const urls = { hubspot: 'http://127.0.0.1:1', salesforceLogin: 'http://127.0.0.1:1' };
    const metrics = createMetrics('tests');
    connectors = createConnectors({ urls, callTimeoutMs: 30_000, logger: silentLogger, metrics });
  });
  afterAll(() => connectors.close());
  return () => connectors;
}
