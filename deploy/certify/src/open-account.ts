import {
  type Auth,
  type Connector,
  type ConnectorRegistry,
  createConnectors,
  type Declaration,
  loadDeclarations,
  nearProviders,
  type TappedExchange,
} from '@sluice/connectors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { type Fixture, fixtures } from '@sluice/connectors/conformance';
import type { Account } from './account-harness';
import { accessOf, createFixture, type FixtureWords } from './create-fixture';

/** An account that can be certified. */
export interface OpenedAccount extends Account {
  readonly location: AccountAddress;
  /** What describes the provider, where a file does. */
  readonly file: Declaration | undefined;
  /** Of the environment. */
  readonly tokenName: string;
  /** Called with every exchange from then on. */
  readonly tapTo: (tap: Tap) => void;
  close(): Promise<void>;
}

type Tap = (exchange: TappedExchange) => void;

/** Which account is asked for. */
export interface AccountRequest {
  readonly provider: string;
  /** Address of a sandbox; absent: the provider's own. */
  readonly url?: string;
  /** Holds the credentials. */
  readonly env: NodeJS.ProcessEnv;
  /** Folder of provider files beside the shipped ones. @default none */
  readonly providersDir: string | undefined;
  /** What is written at a provider of `providersDir`. */
  readonly words: FixtureWords;
}

const callTimeoutMs = 30_000;

/**
 * Opens the account whose credentials the environment holds. Nothing is sent yet.
 * @returns why not, as a sentence, when that cannot be
 * @throws ConfigError for a provider file that breaks a rule
 */
export async function openAccount(asked: AccountRequest): Promise<OpenedAccount | string> {
  const { provider, url, env, providersDir } = asked;
  const own = connect(asked, undefined);
  const refuse = async (why: string) => {
    await own.connectors.close();
    return why;
  };
  const connector = own.connectors.find(provider);
  const file = loadDeclarations(providersDir).find(({ name }) => name === provider);
  if (!connector) return refuse(unknown(provider, own.connectors));
  const tokenName = envName(provider, 'accessToken');
  const isOpen = file !== undefined && accessOf(file) === 'none';
  if (!isOpen && !env[tokenName]?.trim()) return refuse(`${tokenName}: not set.`);
  const fixture = findFixture(asked, file);
  if (typeof fixture === 'string') return refuse(fixture);
  const auth = authOf(connector, fixture, env);
  const location = locationOf(url, ownAddress(connector, auth, file));
  if (typeof location === 'string') return refuse(location);
  if (location.sandbox === undefined && location.address.includes('{workspace}')) {
    return refuse(`${envName(provider, 'workspace')}: not set; it is the account's part of ${location.address}.`);
  }
  if (location.sandbox !== undefined) await own.connectors.close();
  const { connectors, tapTo } = location.sandbox === undefined ? own : connect(asked, location.sandbox);
  const parts = { auth, fixture, location, file, tokenName, tapTo, close: () => connectors.close() };
  return { connector: connectors.get(provider), ...parts };
}

function connect({ providersDir }: AccountRequest, sandbox: string | undefined) {
  let current: Tap | undefined;
  const connectors = createConnectors({
    urls: urlsOf(sandbox),
    providersDir,
    callTimeoutMs,
    logger: silentLogger,
    metrics: createMetrics('certify'),
    tap: (exchange) => current?.(exchange),
  });
  return { connectors, tapTo: (tap: Tap) => void (current = tap) };
}

function unknown(provider: string, connectors: ConnectorRegistry): string {
  return `${provider}: there is no such provider; ${nearProviders(connectors.names(), provider)}. More from SLUICE_PROVIDERS_DIR.`;
}

function findFixture({ provider, words }: AccountRequest, file: Declaration | undefined): Fixture | string {
  const known = fixtures.get(provider);
  if (known && Object.keys(words).length > 0) {
    return `--object and what goes with it: only for a provider of SLUICE_PROVIDERS_DIR, not for ${provider}.`;
  }
  return known ?? (file ? createFixture(file, words) : `${provider}: the records to create are not declared.`);
}

function authOf({ provider, catalogue }: Connector, fixture: Fixture, env: NodeJS.ProcessEnv): Auth {
  const given = (name: string) => env[envName(provider, name)]?.trim() ?? '';
  const workspaceRef = given('workspace');
  const names = (catalogue.metadata?.input ?? []).map(({ name }) => name);
  const metadata = Object.fromEntries(names.map((name) => [name, given(name)]).filter(([, value]) => value !== ''));
  return {
    accessToken: given('accessToken'),
    kind: fixture.access ?? 'oauth2',
    ...(workspaceRef !== '' && { workspaceRef }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** `zendeskSupport`, `accessToken`: ZENDESK_SUPPORT_ACCESS_TOKEN. */
function envName(provider: string, name: string): string {
  return `${provider}_${name}`
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/\W/g, '_')
    .toUpperCase();
}

/** Where the providers are: all at a sandbox, or each at its own address. */
function urlsOf(sandbox: string | undefined) {
  if (sandbox !== undefined) {
    return { hubspot: sandbox, salesforceLogin: sandbox, salesforceInstance: sandbox, declared: `${sandbox}/rest` };
  }
  return { hubspot: 'https://api.hubapi.com', salesforceLogin: 'https://login.salesforce.com' };
}

/** Hosts that a sandbox may have: this machine. Its listeners were started by the holder of the token. */
const loopback = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\])$/;

/** Where the account is: at the provider's own address, or in a sandbox. */
interface AccountAddress {
  readonly address: string;
  /** Set for a sandbox. */
  readonly sandbox?: string;
}

/** The provider's own address of an account. @param file of a provider that is one */
function ownAddress({ catalogue }: Connector, auth: Auth, file: Declaration | undefined): string {
  const given: Readonly<Record<string, string | undefined>> = { workspace: auth.workspaceRef, ...auth.metadata };
  return catalogue.baseURL.replace(
    /\{\{\.(\w+)\}\}/g,
    (_, name: string) => given[name] ?? file?.variables?.[name]?.default ?? `{${name}}`,
  );
}

/**
 * What `--url` names. The access token is sent there, so it is the provider itself or this machine and nothing else.
 * @returns why not, as a sentence
 */
function locationOf(url: string | undefined, own: string): AccountAddress | string {
  if (url === undefined) return { address: own };
  const asked = URL.parse(url);
  if (asked?.protocol !== 'http:' && asked?.protocol !== 'https:') {
    return `--url: must be an http or https address, not '${url}'.`;
  }
  const isPlain = asked.username === '' && asked.password === '';
  if (isPlain && asked.origin === URL.parse(own)?.origin) return { address: own };
  if (isPlain && loopback.test(asked.hostname)) return { address: url, sandbox: url.replace(/\/+$/, '') };
  return (
    `--url: must be a sandbox on this machine (127.0.0.1, localhost, [::1]) or the provider's own ${own}, not '${url}', ` +
    `because the access token would be sent there. Leave --url out for the real account.`
  );
}
