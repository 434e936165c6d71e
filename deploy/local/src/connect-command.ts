import { readProcessEnv } from '@sluice/config';
import { join } from 'node:path';
import { demoFileOf } from './demo/demo-file';
import { realCustomer } from './demo/demo-settings';
import { seedDemo } from './demo/seed-demo';
import { describeRunning } from './describe-running';
import { readLocalSettings } from './local-settings';
import { refuseScaledTime } from './refuse-scaled-time';
import { runSession } from './run-session';
import { listenForStop, untilStopped } from './stop-signal';

const tokenVariable = 'HUBSPOT_ACCESS_TOKEN';

const usage = `npm run connect -- hubspot
  Starts Sluice against a real HubSpot account, whose access token (of a private app, with the scopes
  crm.objects.contacts.read and .write) stands in ${tokenVariable}. No sandbox, no tour; nothing is written until you do.
`;

/** `npm run connect -- hubspot|salesforce`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const [provider, ...more] = args;
  if (provider === 'salesforce') {
    process.stderr.write('Salesforce is not built yet: connecting to it comes in a later version. HubSpot is there.\n');
    return 2;
  }
  if (provider !== 'hubspot' || more.length > 0) {
    process.stderr.write(usage);
    return 2;
  }
  const env = readProcessEnv();
  const token = env[tokenVariable]?.trim();
  if (token === undefined || token === '') {
    process.stderr.write(`${tokenVariable} is not set.\n${usage}`);
    return 2;
  }
  return connect(provider, token, env);
}

async function connect(provider: string, token: string, env: NodeJS.ProcessEnv): Promise<number> {
  const settings = readLocalSettings(env);
  refuseScaledTime(settings);
  say('footprint: embedded, no Kafka (one process, Postgres on this machine)');
  say(`provider: ${env.HUBSPOT_API_URL ?? 'the real HubSpot'}`);
  const stop = listenForStop();
  // A folder of its own: writes that wait for the sandbox must never reach a real account, nor the other way round.
  const home = join(settings.dataDir, 'connect');
  const command = 'npm run connect';
  return runSession(
    { settings, home, command, footprint: 'embedded', withSandbox: false, stop, log: say },
    async ({ folder, addresses, secrets, footprint }) => {
      const names = { name: 'connect', provider, customer: realCustomer(provider, token), withSandbox: false };
      const demo = await seedDemo({ folder, addresses, secrets, ...names });
      say(`connected: project ${demo.project.name}, all in ${demoFileOf(folder)}; logs: ${footprint.logs}`);
      for (const line of describeRunning(demo, demoFileOf(folder))) say(line);
      await untilStopped(stop);
      say('stopping');
      return 0;
    },
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
