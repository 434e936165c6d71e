import { createConnectors, type Connector, type ConnectorRegistry } from '@sluice/connectors';
import { connectorConformance, type ConnectorHarness, type Fault, type Grant } from '@sluice/connectors/conformance';
import { createSandbox } from '@sluice/sandbox';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { call } from '../harness/api';

type Provider = 'hubspot' | 'salesforce';

/** An account of the sandbox, as its control API shows it. */
interface Account {
  readonly account: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly workspaceRef: string;
}

/** The members of a harness that are about one provider's words. */
type Words = Pick<ConnectorHarness, 'objectName' | 'fields' | 'isUnique' | 'textField' | 'absentId' | 'linked'> & {
  readonly badToken: string;
  /** The status of each fault that the provider tells with one. */
  readonly statuses: { readonly quota: number; readonly unavailable: number };
};

const sandbox = createSandbox({ port: 0, host: '127.0.0.1' });
const unlimited = { perTenSeconds: 0, searchesPerSecond: 0 };
const registries: ConnectorRegistry[] = [];
let accounts = 0;

async function openAccount(provider: Provider): Promise<Account> {
  const { url } = await sandbox;
  const name = `conformance-${provider}-${++accounts}`;
  return call<Account>(`${url}/_sandbox/accounts`, { body: { name, provider, limits: unlimited } });
}

async function openConnector(provider: Provider, hubspotVersion: Layout = 'v3'): Promise<Connector> {
  const { url } = await sandbox;
  const registry = createConnectors({
    urls: { hubspot: url, salesforceLogin: url, salesforceInstance: url },
    callTimeoutMs: 5_000,
    logger: silentLogger,
    metrics: createMetrics('tests'),
    hubspotVersion,
  });
  registries.push(registry);
  return registry.get(provider);
}

const authOf = ({ token, workspaceRef }: Account) => ({ accessToken: token, workspaceRef });

/** What can be said and done about an account without its connector. */
async function harness(
  provider: Provider,
  connector: Connector,
  account: Account,
  words: Words,
): Promise<ConnectorHarness> {
  const { url } = await sandbox;
  const { badToken, statuses, ...rest } = words;
  const actions: Record<Fault, object> = {
    'commit-then-reset': { kind: 'commit-then-reset' },
    'reset-before-commit': { kind: 'reset-before' },
    quota: { kind: 'status', status: statuses.quota },
    unavailable: { kind: 'status', status: statuses.unavailable },
  };
  const grantOf = async (change: Partial<Grant['refresh']> = {}, end: 'expire-token' | 'revoke' = 'expire-token') => {
    const opened = await openAccount(provider);
    await call(`${url}/_sandbox/accounts/${opened.account}/${end}`);
    const { refreshToken, clientId, clientSecret, workspaceRef } = opened;
    return { auth: authOf(opened), refresh: { refreshToken, clientId, clientSecret, workspaceRef, ...change } };
  };
  return {
    ...rest,
    connector,
    auth: authOf(account),
    badAuth: { ...authOf(account), accessToken: badToken },
    count: async (fields) => {
      const query = `account=${account.account}&object=${words.objectName}`;
      const records = await call<Record<'properties' | 'fields', Record<string, unknown>>[]>(
        `${url}/_sandbox/records?${query}`,
        { method: 'GET' },
      );
      return records.filter(({ properties, fields: sobject }) => carries(properties ?? sobject, fields)).length;
    },
    fault: async (fault) => {
      const match = { method: 'POST' };
      await call(`${url}/_sandbox/faults`, { body: { account: account.account, match, action: actions[fault] } });
    },
    grants: {
      good: () => grantOf(),
      revoked: () => grantOf({}, 'revoke'),
      refusedApp: () => grantOf({ clientSecret: 'not-the-secret-of-the-app' }),
    },
  };
}

/** Emails come back in lower case. */
function carries(stored: Readonly<Record<string, unknown>>, sent: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(sent).every(
    ([name, value]) => String(stored[name]).toLowerCase() === String(value).toLowerCase(),
  );
}

type Layout = 'v3' | '2026-03';

const hubspotWords = {
  badToken: 'pat-na1-00000000-0000-0000-0000-000000000000',
  absentId: '99999999999999',
  statuses: { quota: 429, unavailable: 503 },
};

async function hubspot(layout: Layout): Promise<ConnectorHarness> {
  const account = await openAccount('hubspot');
  return harness('hubspot', await openConnector('hubspot', layout), account, {
    ...hubspotWords,
    objectName: 'contacts',
    fields: (seed) => ({ email: `${layout}-${seed}@example.com`, firstname: 'Zoë', lastname: seed }),
    isUnique: true,
    textField: 'lastname',
    linked: await linkedTo(account, 'contacts', { to: 'companies', typeId: 279, fields: (seed) => ({ name: seed }) }),
  });
}

async function companies(): Promise<ConnectorHarness> {
  const account = await openAccount('hubspot');
  return harness('hubspot', await openConnector('hubspot'), account, {
    ...hubspotWords,
    objectName: 'companies',
    fields: (seed) => ({ name: seed, domain: 'zoe.example.com', city: 'Zürich' }),
    isUnique: false,
    textField: 'name',
    linked: await linkedTo(account, 'companies', { to: 'deals', typeId: 342, fields: (seed) => ({ dealname: seed }) }),
  });
}

async function deals(): Promise<ConnectorHarness> {
  const account = await openAccount('hubspot');
  return harness('hubspot', await openConnector('hubspot', '2026-03'), account, {
    ...hubspotWords,
    objectName: '0-3',
    fields: (seed) => ({ dealname: seed, amount: '1200.5' }),
    isUnique: false,
    textField: 'dealname',
    linked: await linkedTo(account, 'deals', { to: 'contacts', typeId: 3, fields: (seed) => ({ lastname: seed }) }),
  });
}

/** The links are read at the sandbox, past the connector. */
async function linkedTo(
  { token }: Account,
  from: string,
  link: { readonly to: string; readonly typeId: number; readonly fields: (seed: string) => Record<string, unknown> },
): Promise<NonNullable<ConnectorHarness['linked']>> {
  const { url } = await sandbox;
  const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: link.typeId }];
  return {
    objectName: link.to,
    fields: link.fields,
    association: (id) => ({ to: { id }, types }),
    isLinked: async (recordId, targetId) => {
      const { results } = await call<{ results: { toObjectId: number }[] }>(
        `${url}/crm/v4/objects/${from}/${recordId}/associations/${link.to}`,
        { method: 'GET', headers: { authorization: `Bearer ${token}` } },
      );
      return results.some(({ toObjectId }) => String(toObjectId) === targetId);
    },
  };
}

async function salesforce(): Promise<ConnectorHarness> {
  const account = await openAccount('salesforce');
  return harness('salesforce', await openConnector('salesforce'), account, {
    badToken: '00D000000000000!not.a.session',
    objectName: 'Contact',
    fields: (seed) => ({ External_Id__c: seed, FirstName: 'Zoë', LastName: seed }),
    isUnique: true,
    textField: 'LastName',
    absentId: '003000000000000AAA',
    statuses: { quota: 403, unavailable: 503 },
  });
}

afterAll(async () => {
  await Promise.all(registries.map((registry) => registry.close()));
  await (await sandbox).close();
});

// The connector and the sandbox share no code: what one believes of a provider, the other must answer.
describe.each([
  ['hubspot, layout v3', () => hubspot('v3'), 34],
  ['hubspot, layout 2026-03', () => hubspot('2026-03'), 34],
  ['hubspot, companies', companies, 32],
  ['hubspot, deals by their type id, layout 2026-03', deals, 32],
  ['salesforce', salesforce, 30],
] as const)('the connector against the sandbox: %s', (_, open, casesMin) => {
  let cases: ReturnType<typeof connectorConformance>;
  beforeAll(async () => {
    cases = connectorConformance(await open());
  });

  it('keeps every promise of the suite', async () => {
    const broken: string[] = [];
    for (const { name, run } of cases) {
      await run().catch((error: unknown) => broken.push(`${name}: ${String(error)}`));
    }
    expect(broken).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(casesMin);
  }, 60_000);
});
