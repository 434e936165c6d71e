import { createConnectors, type Auth, type Connector } from '@sluice/connectors';
import { createSandbox } from '@sluice/sandbox';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { call } from '../../harness/api';
import { startRecorder, type Exchange } from './recorder';

/** An account of the sandbox, as its control API shows it. */
export type Account = Readonly<
  Record<'account' | 'token' | 'refreshToken' | 'clientId' | 'clientSecret' | 'workspaceRef', string>
>;

/** The sandbox behind a recorder, which our connector and the clients of others reach alike. */
export interface Stage {
  /** Where both find the provider. */
  readonly url: string;
  readonly connector: Connector;
  /** An account of its own for each of them: what one writes is nobody else's duplicate. */
  open(): Promise<Account>;
  /** Of an account: settings, or what becomes of its next call; see the sandbox's README. */
  change(account: Account, settings: object): Promise<unknown>;
  script(account: Account, action: object): Promise<unknown>;
  expire(account: Account): Promise<unknown>;
  /** The code that the customer's browser brings back from the page where an app is allowed in. */
  codeFrom(page: string, account: Account): Promise<string>;
  /** What was said while this ran; what a browser opens is left out. */
  said(run: () => PromiseLike<unknown>): Promise<readonly Exchange[]>;
  close(): Promise<void>;
}

export async function openStage(provider: 'hubspot' | 'salesforce'): Promise<Stage> {
  const sandbox = await createSandbox({ port: 0, host: '127.0.0.1' });
  const recorder = await startRecorder(sandbox.url);
  const { url } = recorder;
  const connectors = createConnectors({
    urls: { hubspot: url, salesforceLogin: url, salesforceInstance: url },
    callTimeoutMs: 30_000,
    logger: silentLogger,
    metrics: createMetrics('tests'),
  });
  const control = `${sandbox.url}/_sandbox`;
  let opened = 0;
  return {
    url,
    connector: connectors.get(provider),
    open: () => call(`${control}/accounts`, { body: { name: `party-${(opened += 1)}`, provider } }),
    change: ({ account: name }, settings) => call(`${control}/accounts`, { body: { name, provider, ...settings } }),
    script: ({ account }, action) => call(`${control}/faults`, { body: { account, action } }),
    expire: ({ account }) => call(`${control}/accounts/${account}/expire-token`),
    codeFrom: async (page, { account }) => {
      const { pathname, search } = new URL(page);
      const reply = await fetch(`${url}${pathname}${search}&account=${account}`, { redirect: 'manual' });
      return new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? '';
    },
    said: async (run) => {
      const before = recorder.exchanges.length;
      await run();
      return recorder.exchanges.slice(before).filter(({ path }) => !path.endsWith('/authorize'));
    },
    close: async () => {
      await connectors.close();
      await recorder.close();
      await sandbox.close();
    },
  };
}

export const authOf = ({ token: accessToken, workspaceRef }: Account): Auth => ({
  accessToken,
  kind: 'oauth2',
  workspaceRef,
});

/** What a call throws. */
export async function thrownBy(run: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    return { answered: await run() };
  } catch (error) {
    return error;
  }
}
