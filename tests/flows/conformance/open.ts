import { type Auth, createConnectors, type Connector } from '@sluice/connectors';
import type { ConnectorHarness, Fault, Grant, LinkedObject } from '@sluice/connectors/conformance';
import { createSandbox, type RunningSandbox } from '@sluice/sandbox';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { call } from '../../harness/api';
import type { ImitatedProvider } from './every-provider';

/** An account of the sandbox, as its control API shows it. */
type SandboxAccount = Readonly<
  Record<'account' | 'token' | 'refreshToken' | 'clientId' | 'clientSecret' | 'workspaceRef', string>
>;

export interface Imitation extends ConnectorHarness {
  /** Scripts what becomes of the account's next calls; see the sandbox's README. */
  readonly script: (fault: object) => Promise<unknown>;
}

/** A sandbox, and connectors to it. */
export interface Imitations {
  /** The suite's view of a provider, with an account of its own. */
  open(imitated: ImitatedProvider): Promise<Imitation>;
  close(): Promise<void>;
}

/** @param reachedAt where connectors reach the sandbox of this base URL. @default there */
export async function openImitations(
  reachedAt: (url: string) => Promise<string> = (url) => Promise.resolve(url),
): Promise<Imitations> {
  const sandbox: RunningSandbox = await createSandbox({ port: 0, host: '127.0.0.1' });
  const { url } = sandbox;
  const at = await reachedAt(url);
  const connectors = createConnectors({
    urls: { hubspot: at, salesforceLogin: at, salesforceInstance: at, declared: `${at}/rest` },
    callTimeoutMs: 5_000,
    logger: silentLogger,
    metrics: createMetrics('tests'),
  });
  return {
    open: async (imitated) => harness(url, connectors.get(imitated.provider), imitated),
    close: async () => {
      await connectors.close();
      await sandbox.close();
    },
  };
}

let opened = 0;

async function openAccount(url: string, provider: string): Promise<SandboxAccount> {
  const name = `conformance-${provider}-${(opened += 1)}`;
  const limits = { perTenSeconds: 0, searchesPerSecond: 0 };
  return call<SandboxAccount>(`${url}/_sandbox/accounts`, { body: { name, provider, limits } });
}

/** What can be said and done about an account without its connector. */
async function harness(url: string, connector: Connector, imitated: ImitatedProvider): Promise<Imitation> {
  const { provider, fixture, badToken, writePath: path, hasGrants = false } = imitated;
  const account = await openAccount(url, provider);
  const authOf = (of: SandboxAccount, accessToken = of.token): Auth => {
    return { accessToken, kind: fixture.access ?? 'oauth2', workspaceRef: of.workspaceRef };
  };
  const { link } = fixture;
  const script = (fault: object) => call(`${url}/_sandbox/faults`, { body: { account: account.account, ...fault } });
  const actions: Readonly<Record<Fault, object>> = {
    'commit-then-reset': { kind: 'commit-then-reset' },
    'reset-before-commit': { kind: 'reset-before' },
    redirect: { kind: 'redirect', location: 'http://169.254.169.254/latest/meta-data/' },
    unreadable: { kind: 'broken-encoding' },
    quota: { kind: 'status', status: provider === 'salesforce' ? 403 : 429 },
    unavailable: { kind: 'status', status: 503 },
  };
  const match = { method: 'POST', ...(path !== undefined && { path }) };
  return {
    ...fixture,
    connector,
    auth: authOf(account),
    badAuth: authOf(account, badToken ?? 'no-such-key-0000'),
    count: (fields) =>
      countOf(`${url}/_sandbox/records?account=${account.account}&object=${fixture.objectName}`, fields),
    script,
    fault: async (fault, of = 'create') =>
      void (await script({ ...(of === 'create' && { match }), action: actions[fault] })),
    ...(link && imitated.linkPath && { linked: linkedTo(url, account, { link, path: imitated.linkPath }) }),
    ...(hasGrants && { grants: grantsOf(url, provider, authOf) }),
  };
}

/** Emails come back in lower case. */
async function countOf(url: string, sent: Readonly<Record<string, unknown>>): Promise<number> {
  const shown = await call<Record<'properties' | 'fields', Record<string, unknown>>[]>(url, { method: 'GET' });
  const textOf = (value: unknown) => String(value).toLowerCase();
  return shown.filter(({ properties, fields }) =>
    Object.entries(sent).every(([name, value]) => textOf((properties ?? fields)[name]) === textOf(value)),
  ).length;
}

function grantsOf(
  url: string,
  provider: string,
  authOf: (account: SandboxAccount) => Auth,
): NonNullable<ConnectorHarness['grants']> {
  const grantOf = async (change: Partial<Grant['refresh']> = {}, end: 'expire-token' | 'revoke' = 'expire-token') => {
    const account = await openAccount(url, provider);
    await call(`${url}/_sandbox/accounts/${account.account}/${end}`);
    const { refreshToken, clientId, clientSecret, workspaceRef } = account;
    return { auth: authOf(account), refresh: { refreshToken, clientId, clientSecret, workspaceRef, ...change } };
  };
  return {
    good: () => grantOf(),
    revoked: () => grantOf({}, 'revoke'),
    refusedApp: () => grantOf({ clientSecret: 'not-the-secret-of-the-app' }),
  };
}

type Link = NonNullable<ImitatedProvider['fixture']['link']>;

/** The links are read at the sandbox, past the connector. */
function linkedTo(
  url: string,
  { token }: SandboxAccount,
  { link, path: [from, to] }: { link: Link; path: readonly [string, string] },
): LinkedObject {
  const { object, types } = link;
  return {
    ...object,
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
