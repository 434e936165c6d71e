import { createConnectors } from '@sluice/connectors';
import { connectorConformance, type ConnectorHarness, type Fault } from '@sluice/connectors/conformance';
import { createSandbox } from '@sluice/sandbox';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { call } from '../faults/harness/api';

/** What each fault of the suite is called at the sandbox. */
const actions: Record<Fault, object> = {
  'commit-then-reset': { kind: 'commit-then-reset' },
  'reset-before-commit': { kind: 'reset-before' },
  quota: { kind: 'status', status: 429 },
  unavailable: { kind: 'status', status: 503 },
};

const sandbox = createSandbox({ port: 0, host: '127.0.0.1' });
const account = 'conformance';

async function harness(hubspotVersion: 'v3' | '2026-03'): Promise<ConnectorHarness> {
  const { url } = await sandbox;
  const limits = { perTenSeconds: 0, searchesPerSecond: 0 };
  const { token } = await call<{ token: string }>(`${url}/_sandbox/accounts`, {
    body: { name: account, provider: 'hubspot', limits },
  });
  const connectors = createConnectors({
    urls: { hubspot: url, salesforceLogin: url, salesforceInstance: url },
    callTimeoutMs: 5_000,
    logger: silentLogger,
    metrics: createMetrics('tests'),
    hubspotVersion,
  });
  return {
    connector: connectors.get('hubspot'),
    auth: { accessToken: token },
    badAuth: { accessToken: 'pat-na1-00000000-0000-0000-0000-000000000000' },
    objectName: 'contacts',
    fields: (seed) => ({ email: `${hubspotVersion}-${seed}@example.com`, firstname: 'Zoë', lastname: seed }),
    textField: 'lastname',
    absentId: '99999999999999',
    count: async (fields) => {
      const records = await call<{ properties: Record<string, unknown> }[]>(
        `${url}/_sandbox/records?account=${account}&object=contacts`,
        { method: 'GET' },
      );
      return records.filter(({ properties }) => properties['email'] === fields['email']).length;
    },
    fault: async (fault) => {
      await call(`${url}/_sandbox/faults`, { body: { account, match: { method: 'POST' }, action: actions[fault] } });
    },
  };
}

afterAll(async () => (await sandbox).close());

// The connector and the sandbox share no code: what one believes of HubSpot, the other must answer.
describe.each(['v3', '2026-03'] as const)('the hubspot connector against the sandbox, layout %s', (version) => {
  let cases: ReturnType<typeof connectorConformance>;
  beforeAll(async () => {
    cases = connectorConformance(await harness(version));
  });

  it('keeps every promise of the suite', async () => {
    const broken: string[] = [];
    for (const { name, run } of cases) {
      await run().catch((error: unknown) => broken.push(`${name}: ${String(error)}`));
    }
    expect(broken).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(20);
  }, 60_000);
});
