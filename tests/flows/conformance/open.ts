import { createConnectors, type Connector, type ConnectorRegistry } from '@sluice/connectors';
import type { ConnectorHarness, Fault, Grant } from '@sluice/connectors/conformance';
import { createSandbox, type RunningSandbox } from '@sluice/sandbox';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { call } from '../../harness/api';
import type { ProviderWords, SandboxAccount } from './words';

/** A sandbox, and connectors to it. */
export interface Ground {
  readonly sandbox: RunningSandbox;
  /** The suite's view of a provider, with an account of its own. */
  open(words: ProviderWords): Promise<ConnectorHarness>;
  registry(version?: ProviderWords['hubspotVersion']): ConnectorRegistry;
  /** Calls that the sandbox received so far, of every account. */
  calls(): Promise<number>;
  close(): Promise<void>;
}

export async function openGround(): Promise<Ground> {
  const sandbox = await createSandbox({ port: 0, host: '127.0.0.1' });
  const { url } = sandbox;
  const registries = new Map<string, ConnectorRegistry>();
  const registry = (version: ProviderWords['hubspotVersion'] = 'v3'): ConnectorRegistry => {
    const opened = registries.get(version) ?? connect(url, version);
    registries.set(version, opened);
    return opened;
  };
  return {
    sandbox,
    registry,
    open: async (words) => harness(url, registry(words.hubspotVersion).get(words.provider), words),
    calls: async () => (await call<unknown[]>(`${url}/_sandbox/ledger`, { method: 'GET' })).length,
    close: async () => {
      await Promise.all([...registries.values()].map((each) => each.close()));
      await sandbox.close();
    },
  };
}

function connect(url: string, hubspotVersion: 'v3' | '2026-03'): ConnectorRegistry {
  return createConnectors({
    urls: { hubspot: url, salesforceLogin: url, salesforceInstance: url, declared: `${url}/rest` },
    callTimeoutMs: 5_000,
    logger: silentLogger,
    metrics: createMetrics('tests'),
    hubspotVersion,
  });
}

let opened = 0;

async function openAccount(url: string, provider: string): Promise<SandboxAccount> {
  const name = `conformance-${provider}-${(opened += 1)}`;
  const limits = { perTenSeconds: 0, searchesPerSecond: 0 };
  return call<SandboxAccount>(`${url}/_sandbox/accounts`, { body: { name, provider, limits } });
}

/** What can be said and done about an account without its connector. */
async function harness(url: string, connector: Connector, words: ProviderWords): Promise<ConnectorHarness> {
  const { provider, badToken, statuses, writePath: path, hasGrants = false } = words;
  const account = await openAccount(url, provider);
  const auth = authOf(words, account);
  const control = { url, account: account.account };
  const actions: Record<Fault, object> = {
    'commit-then-reset': { kind: 'commit-then-reset' },
    'reset-before-commit': { kind: 'reset-before' },
    redirect: { kind: 'redirect', location: 'http://169.254.169.254/latest/meta-data/' },
    unreadable: { kind: 'dress', encoding: 'broken' },
    quota: { kind: 'status', status: statuses.quota },
    unavailable: { kind: 'status', status: statuses.unavailable },
  };
  const match = { method: 'POST', ...(path !== undefined && { path }) };
  return {
    ...words,
    connector,
    auth,
    badAuth: { ...auth, accessToken: badToken },
    count: (fields) => countOf(control, words.objectName, fields),
    fault: async (fault, of = 'create') => {
      const which = of === 'create' ? { match } : {};
      await call(`${url}/_sandbox/faults`, { body: { account: account.account, ...which, action: actions[fault] } });
    },
    ...(words.link && { linked: linkedTo(url, account, words.link) }),
    ...(hasGrants && { grants: grantsOf(url, words) }),
  };
}

function authOf({ auth }: ProviderWords, account: SandboxAccount) {
  return auth?.(account) ?? { accessToken: account.token, workspaceRef: account.workspaceRef };
}

interface Control {
  readonly url: string;
  readonly account: string;
}

async function countOf({ url, account }: Control, object: string, fields: Readonly<Record<string, unknown>>) {
  const shown = await call<Record<'properties' | 'fields', Record<string, unknown>>[]>(
    `${url}/_sandbox/records?account=${account}&object=${object}`,
    { method: 'GET' },
  );
  return shown.filter((record) => carries(record.properties ?? record.fields, fields)).length;
}

/** Emails come back in lower case. */
function carries(stored: Readonly<Record<string, unknown>>, sent: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(sent).every(
    ([name, value]) => String(stored[name]).toLowerCase() === String(value).toLowerCase(),
  );
}

function grantsOf(url: string, words: ProviderWords): NonNullable<ConnectorHarness['grants']> {
  const grantOf = async (change: Partial<Grant['refresh']> = {}, end: 'expire-token' | 'revoke' = 'expire-token') => {
    const account = await openAccount(url, words.provider);
    await call(`${url}/_sandbox/accounts/${account.account}/${end}`);
    const { refreshToken, clientId, clientSecret, workspaceRef } = account;
    return { auth: authOf(words, account), refresh: { refreshToken, clientId, clientSecret, workspaceRef, ...change } };
  };
  return {
    good: () => grantOf(),
    revoked: () => grantOf({}, 'revoke'),
    refusedApp: () => grantOf({ clientSecret: 'not-the-secret-of-the-app' }),
  };
}

/** The links are read at the sandbox, past the connector. */
function linkedTo(
  url: string,
  { token }: SandboxAccount,
  { from, to, typeId, fields }: NonNullable<ProviderWords['link']>,
): NonNullable<ConnectorHarness['linked']> {
  const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: typeId }];
  return {
    objectName: to,
    fields,
    association: (id) => ({ to: { id }, types }),
    isLinked: async (recordId, targetId) => {
      const { results } = await call<{ results: { toObjectId: number }[] }>(
        `${url}/crm/v4/objects/${from}/${recordId}/associations/${to}`,
        { method: 'GET', headers: { authorization: `Bearer ${token}` } },
      );
      return results.some(({ toObjectId }) => String(toObjectId) === targetId);
    },
  };
}
