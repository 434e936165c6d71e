import type { Connection, GenerateConnectionRequest } from '@sluice/types';
import { setTimeout as wait } from 'node:timers/promises';
import { CommandFailure, exitCodes } from '../failure';
import { print } from '../output/print';
import { askSecret } from '../profiles/ask';
import { connect, type Management, type GivenOptions } from '../profiles/connect';

interface ConnectOptions extends GivenOptions {
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
export async function run([provider = '']: readonly string[], options: ConnectOptions): Promise<void> {
  const { management, client, project } = await connect(options);
  const { group: groupRef, consumer: consumerRef, workspace, app } = options;
  const whose = {
    provider,
    groupRef,
    consumerRef,
    ...(workspace !== undefined && { providerWorkspaceRef: workspace }),
    ...(app !== undefined && { providerAppId: app }),
  };
  if (options.apiKey === true || options.accessToken === true) {
    const connection = await management.generateConnection({ body: { ...whose, ...(await askCredentials(options)) } });
    print(options, connection, () => describeConnection(connection));
    return;
  }
  const seconds = readWait(options.wait);
  const before = seconds === undefined ? undefined : await newestOf(management, whose);
  // Not one of the project's paths: the body names the project.
  const url = await client.management.oauthConnect({ body: { ...whose, projectIdOrName: project } });
  if (seconds === undefined) {
    if (options.json !== true) process.stderr.write('For the browser of the customer, within ten minutes, once:\n');
    print(options, { url }, () => url);
    return;
  }
  process.stderr.write(`For the browser of the customer, within ten minutes, once:\n${url}\n`);
  const connection = await waitForNewer(management, whose, before, seconds);
  print(options, connection, () => describeConnection(connection));
}

async function askCredentials({
  apiKey,
}: ConnectOptions): Promise<Pick<GenerateConnectionRequest, 'apiKey' | 'oauth2AuthorizationCode'>> {
  const secret = await askSecret(apiKey === true ? 'API key of the customer: ' : 'Access token of the customer: ');
  if (secret === '') throw new CommandFailure('Nothing was given. Type it, or send it to standard input.');
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

function readWait(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0 && text !== '') return seconds;
  throw new CommandFailure(`--wait is "${text}" and must be a number of seconds.`, exitCodes.usage);
}

function describeConnection({ id, provider, group, providerWorkspaceRef, status }: Connection): string {
  const account = providerWorkspaceRef === undefined ? '' : `, account ${providerWorkspaceRef}`;
  return `${group.groupRef} is connected to ${provider}${account}: connection ${id}, ${status}.`;
}
