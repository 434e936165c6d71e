import { createConnectors, type Auth, type Connector } from '@sluice/connectors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { createRecorder, type Recorder } from './recording';
import { subjectOf, type Subject } from './subjects';

/** An account that can be certified. */
export interface Certified {
  readonly connector: Connector;
  readonly auth: Auth;
  readonly subject: Subject;
  readonly recorder: Recorder;
  close(): Promise<void>;
}

interface Asked {
  readonly provider: string;
  /** Address of a sandbox; undefined: the provider's own. */
  readonly url: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

const callTimeoutMs = 30_000;

/** Opens the account whose credentials the environment holds. @returns why not, as a sentence, when that cannot be */
export function openCertified({ provider, url, env }: Asked): Certified | string {
  const subject = subjectOf(provider);
  if (!subject) return `${provider}: nobody has said which records to make there.`;
  if (url !== undefined && !/^https?:\/\//.test(url)) return '--url: is no http or https address.';
  const prefix = provider.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
  const tokenName = `${prefix}_ACCESS_TOKEN`;
  const accessToken = env[tokenName]?.trim() ?? '';
  if (accessToken === '') return `${tokenName}: not set.`;
  const workspaceRef = env[`${prefix}_WORKSPACE`]?.trim();
  if (provider === 'salesforce' && url === undefined && !workspaceRef) return `${prefix}_WORKSPACE: not set.`;
  const recorder = createRecorder(provider);
  const connectors = createConnectors({
    urls: urlsOf(url),
    callTimeoutMs,
    logger: silentLogger,
    metrics: createMetrics('certify'),
    tap: recorder.tap,
  });
  const connector = connectors.find(provider);
  if (!connector) return `${provider}: there is no such provider.`;
  const kind = subject.access ?? 'oauth2';
  const auth = { accessToken, kind, ...(workspaceRef ? { workspaceRef } : {}) };
  return { connector, auth, subject, recorder, close: () => connectors.close() };
}

/** Where the providers are: all at a sandbox, or each at its own address. */
export function urlsOf(sandbox: string | undefined) {
  if (sandbox !== undefined) {
    return { hubspot: sandbox, salesforceLogin: sandbox, salesforceInstance: sandbox, declared: `${sandbox}/rest` };
  }
  return { hubspot: 'https://api.hubapi.com', salesforceLogin: 'https://login.salesforce.com' };
}
