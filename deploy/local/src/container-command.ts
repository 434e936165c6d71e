import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import {
  listenForStop,
  type LocalSettings,
  readLocalSettings,
  readState,
  unavailable,
  untilStopped,
} from '@sluice/stack';
import { migrations } from '@sluice/store';
import { assertMounted, claimVersion, lockVolume } from './container-volume';
import { type Demo, demoFileOf, pasteable } from './demo/demo';
import { seedDemo, seedSandboxDemo } from './demo/seed-demo';
import { openLocalSecrets } from './local-secrets';
import { refuseScaledTime, runSession } from './run-session';

const usage = `What the image "sluice" runs: everything in one process, and Postgres beside it.
  --settings  prints, of the container that runs, what an installation that takes over its data needs
`;

/** `container`, the command of the image `sluice`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const settings = readLocalSettings(readProcessEnv());
  refuseScaledTime(settings);
  if (args.length === 0) return await serve(settings);
  if (args.length === 1 && args[0] === '--settings') return printSettings(settings);
  process.stderr.write(usage);
  return 2;
}

const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { version: string };

/** Writes that wait for an imitation must never reach a real account, nor the other way round: each has its own database. */
const homeOf = ({ dataDir, isReal }: LocalSettings): string => join(dataDir, isReal ? 'real' : 'sandbox');

async function serve(settings: LocalSettings): Promise<number> {
  const [home, withSandbox] = [homeOf(settings), !settings.isReal];
  assertMounted(settings.dataDir, readFileSync('/proc/self/mountinfo', 'utf8'));
  await lockVolume(settings.dataDir);
  claimVersion(home, version, migrations.at(-1)?.name ?? '');
  // Of a Postgres that was killed with its container. The number in it may be one of our threads now, and Postgres would not start beside it.
  rmSync(join(home, 'postgres', 'data', 'postmaster.pid'), { force: true });
  const isFirst = !existsSync(demoFileOf(home));
  const stop = listenForStop();
  const options = {
    settings,
    home,
    command: 'docker run',
    footprint: 'embedded',
    withSandbox,
    stop,
    log: say,
  } as const;
  return await runSession(options, async ({ folder, addresses, secrets }) => {
    const common = { folder, addresses, secrets, manifest: join(__dirname, '../sluice.yaml') };
    const demo = withSandbox
      ? (await seedSandboxDemo(common)).demo
      : await seedDemo({ ...common, name: 'demo', customers: [], withSandbox });
    for (const line of describe(demo, folder, isFirst)) say(line);
    await untilStopped(stop);
    say('stopping');
    return 0;
  });
}

function describe(demo: Demo, folder: string, isFirst: boolean): readonly string[] {
  const { baseUrl, searchUrl, writeUrl, sandboxUrl, project, apiKey } = demo;
  const guide = baseUrl.replace(/\/v1$/, '/docs/guide');
  return [
    '',
    `management  ${baseUrl}`,
    `console     ${baseUrl.replace(/\/v1$/, '/console')}`,
    `guide       ${guide}`,
    `search      ${searchUrl}`,
    `write       ${writeUrl}`,
    `providers   ${sandboxUrl === undefined ? 'the real ones' : 'imitations inside this container; SLUICE_REAL_PROVIDERS=on takes the real ones'}`,
    `project     ${project.name} (${project.id})`,
    isFirst
      ? `API key     ${apiKey}   shown this once; it may do everything in the project`
      : `API key     was shown at the first start, and is in ${demoFileOf(folder)}`,
    '',
    ...(sandboxUrl === undefined ? [] : ['To paste, with KEY set to the API key:', ...pasteable(demo), '']),
    `This is for one machine: one process, one disk, no standby, and an upgrade stops it. To move on: ${guide}/one-container`,
  ];
}

function printSettings(settings: LocalSettings): number {
  const home = homeOf(settings);
  const url = readState(home).services.postgres?.url;
  if (url === undefined) throw unavailable('No Sluice runs in this container.');
  const { adminKey, credentialsKeys } = openLocalSecrets(home, settings.env);
  const lines = { DATABASE_URL: url, SLUICE_CREDENTIALS_KEYS: credentialsKeys, SLUICE_ADMIN_KEY: adminKey };
  for (const [name, value] of Object.entries(lines)) say(`${name}=${value}`);
  return 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
