import type { Connection, GenerateConnectionRequest } from '@sluice/types';
import { setTimeout as wait } from 'node:timers/promises';
import { aProvider, asking, option, required } from '../command';
import { CommandFailure, exitCodes } from '../failure';
import { askSecret } from '../profiles/ask';
import type { Management } from '../profiles/connect';
import { given, readSeconds } from '../read-options';
import { forCustomer } from './connections';

interface ConnectOptions {
  readonly group: string;
  readonly consumer: string;
  readonly workspace?: string;
  readonly app?: string;
  readonly apiKey?: boolean;
  readonly accessToken?: boolean;
  readonly wait?: string;
}

/** How often it is asked whether the customer has finished. */
const pollMs = 1_000;

/** `sluice connect <provider>`: with a key or a token that is there, else with an address for the customer's browser. */
export const connect = asking({
  about: "connect a customer's account: prints an address for the customer's browser, or takes a key that you have",
  takes: [
    aProvider,
    required('--group <ref>', 'the customer, as you name it'),
    required('--consumer <ref>', 'the person of the customer who connects, as you name them'),
    option('--workspace <ref>', 'the account at the provider, where the provider asks for it'),
    option('--app <id>', 'the provider app; default: the newest of this provider'),
    option('--api-key', 'ask for an API key of the customer').conflicts('accessToken'),
    option('--access-token', 'ask for an access token of the customer'),
    option('--wait <seconds>', 'wait until the customer has connected; else exit code 4'),
  ],
  ask: async ({ management, client, project }, options: ConnectOptions, name) => {
    const { group: groupRef, consumer: consumerRef, workspace: providerWorkspaceRef, app: providerAppId } = options;
    const whose = { provider: name, groupRef, consumerRef, ...given({ providerWorkspaceRef, providerAppId }) };
    if (options.apiKey === true || options.accessToken === true) {
      return await management.generateConnection({ body: { ...whose, ...(await askCredentials(options)) } });
    }
    const seconds = options.wait === undefined ? undefined : readSeconds('--wait', options.wait);
    const before = seconds === undefined ? undefined : await newestOf(management, whose);
    // Not one of the project's paths: the body names the project.
    const url = await client.management.oauthConnect({ body: { ...whose, projectIdOrName: project } });
    if (seconds === undefined) return { url };
    process.stderr.write(`${forCustomer({ url })}\n`);
    return await waitForNewer(management, whose, before, seconds);
  },
  show: (made) => ('url' in made ? forCustomer(made) : describeConnection(made)),
});

async function askCredentials({
  apiKey,
}: ConnectOptions): Promise<Pick<GenerateConnectionRequest, 'apiKey' | 'oauth2AuthorizationCode'>> {
  const what = apiKey === true ? 'API key' : 'Access token';
  const secret = await askSecret(`${what} of the customer: `, 'Nothing was given.');
  return apiKey === true ? { apiKey: secret } : { oauth2AuthorizationCode: { accessToken: { token: secret } } };
}

interface Whose {
  readonly provider: string;
  readonly groupRef: string;
  readonly consumerRef: string;
}

async function newestOf(
  management: Management,
  { provider, groupRef, consumerRef }: Whose,
): Promise<Connection | undefined> {
  const found = await management.listConnections({ provider, groupRef, consumerRef });
  return found.toSorted((one, other) => momentOf(one).localeCompare(momentOf(other))).at(-1);
}

const momentOf = ({ updateTime, createTime }: Connection) => updateTime ?? createTime;

async function waitForNewer(
  management: Management,
  whose: Whose,
  before: Connection | undefined,
  seconds: number,
): Promise<Connection> {
  const endsAtMs = performance.now() + seconds * 1_000;
  for (;;) {
    const newest = await newestOf(management, whose);
    const isNewer = newest !== undefined && (before === undefined || momentOf(newest) > momentOf(before));
    if (isNewer) return newest;
    if (performance.now() >= endsAtMs) {
      const sentence = `${whose.groupRef} has not connected ${whose.provider} within ${seconds} s. The address stays good for ten minutes.`;
      throw new CommandFailure(sentence, exitCodes.stillRunning);
    }
    await wait(pollMs);
  }
}

function describeConnection({ id, provider, group, providerWorkspaceRef, status }: Connection): string {
  const account = providerWorkspaceRef === undefined ? '' : `, account ${providerWorkspaceRef}`;
  return `${group.groupRef} is connected to ${provider}${account}: connection ${id}, ${status}.`;
}
