import { join } from 'node:path';
import { createSluiceClient, SluiceApiError } from '@sluice/client';
import { readProcessEnv } from '@sluice/config';
import { listenForStop, readLocalSettings, say, untilStopped } from '@sluice/stack';
import { type Demo, type DemoCustomer, demoFileOf, describeRunning, realCustomer } from './demo/demo';
import { seedDemo } from './demo/seed-demo';
import { refuseScaledTime, runSession } from './run-session';

/** The credentials of a real account, by provider. */
const accesses = {
  hubspot: { token: 'HUBSPOT_ACCESS_TOKEN', address: 'HUBSPOT_API_URL', object: 'contacts' },
  salesforce: {
    token: 'SALESFORCE_ACCESS_TOKEN',
    workspace: 'SALESFORCE_WORKSPACE',
    address: 'SALESFORCE_INSTANCE_URL',
    object: 'Contact',
  },
} as const;

const usage = `npm run connect -- hubspot|salesforce
  Starts Sluice against a real account. No sandbox, no tour; nothing is written until you do.
  hubspot     the access token of a private app, with the scopes crm.objects.contacts.read and .write, stands in
              ${accesses.hubspot.token}
  salesforce  an access token (session id) stands in ${accesses.salesforce.token}, and the My Domain name, acme of
              acme.my.salesforce.com, in ${accesses.salesforce.workspace}
  More: docs/guides/connect-hubspot.md, docs/guides/connect-salesforce.md
`;

/** `npm run connect -- hubspot|salesforce`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const [provider = '', ...more] = args;
  const access: { token: string; workspace?: string } | undefined =
    provider === 'hubspot' || provider === 'salesforce' ? accesses[provider] : undefined;
  if (access === undefined || more.length > 0) {
    process.stderr.write(usage);
    return 2;
  }
  const env = readProcessEnv();
  const missing = [access.token, access.workspace ?? []].flat().filter((name) => !env[name]?.trim());
  if (missing.length > 0) {
    process.stderr.write(`${missing.join(' and ')}: not set.\n${usage}`);
    return 2;
  }
  const workspace = access.workspace === undefined ? undefined : env[access.workspace]?.trim();
  return connect(realCustomer(provider, env[access.token]?.trim() ?? '', workspace), env);
}

async function connect(customer: DemoCustomer, env: NodeJS.ProcessEnv): Promise<number> {
  const settings = readLocalSettings(env);
  refuseScaledTime(settings);
  say('footprint: embedded, no Kafka (one process, Postgres on this machine)');
  const { provider } = customer;
  const address = env[accesses[provider as keyof typeof accesses].address];
  say(`provider: ${address ?? `the real ${provider}`}`);
  const stop = listenForStop();
  // A folder of its own: writes that wait for the sandbox must never reach a real account, nor the other way round.
  const home = join(settings.dataDir, 'connect');
  const command = 'npm run connect';
  return runSession(
    { settings, home, command, footprint: 'embedded', withSandbox: false, stop, log: say },
    async ({ folder, addresses, secrets, footprint }) => {
      const names = { name: 'connect', customers: [customer], withSandbox: false };
      const demo = await seedDemo({ folder, addresses, secrets, ...names });
      say(await describeConnection(demo, customer));
      say(`project ${demo.project.name}, all in ${demoFileOf(folder)}; logs: ${footprint.logs}`);
      for (const line of describeRunning(demo, demoFileOf(folder))) say(line);
      await untilStopped(stop);
      say('stopping');
      return 0;
    },
  );
}

/** Asks for the fields of an object. Who is out of reach when connecting stays unknown, and a token of an earlier run may be refused by now. */
async function describeConnection(
  { baseUrl, apiKey, project }: Demo,
  { provider, groupRef }: DemoCustomer,
): Promise<string> {
  const { management } = createSluiceClient({ baseUrl, apiKey, projectIdOrName: project.id });
  const { object: objectName } = accesses[provider as keyof typeof accesses];
  try {
    await management.getObjectMetadataForConnection({ provider, objectName, groupRef });
    return `connected: ${provider} takes the token`;
  } catch (error) {
    if (!(error instanceof SluiceApiError)) throw error;
    return `NOT CONNECTED yet: ${error.detail}\n${error.remedy ?? ''}`.trimEnd();
  }
}
