import { readProcessEnv } from '@sluice/config';
import { listenForStop, type Log, readLocalSettings, untilStopped, waitUntil } from '@sluice/stack';
import { demoFileOf } from './demo/demo';
import { seedSandboxDemo } from './demo/seed-demo';
import { createPrinter } from './dev-output';
import { withLocalWebhooks } from './footprints/service-env';
import { runSession, type Session } from './run-session';
import { type ProcessName, processNames } from './service-ports';
import { answers, inspectorPortOf } from './service-processes';

const usage = `npm run dev [-- --only <service>]
  Runs the five services and the sandbox as processes on Kafka, Redis and Postgres, compiles what changes and starts
  again what it concerns. Services: ${processNames.join(', ')}.
  --only <service>  this one alone, with an inspector port, in place of that of an earlier npm run dev, which runs it
                    again afterwards; the others stay as they are
`;

/** `npm run dev`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const only = parse(args);
  if (only === 'wrong') {
    process.stderr.write(usage);
    return 2;
  }
  const given = readLocalSettings(readProcessEnv());
  const settings = { ...given, env: withLocalWebhooks(given.env) };
  const log = createPrinter('dev');
  const stop = listenForStop();
  const common = { settings, home: settings.dataDir, command: 'npm run dev', withSandbox: true, stop, log };
  return await runSession({ ...common, footprint: 'distributed', watch: { only } }, async (session) => {
    if (only === undefined) await seedWhenReady(session, stop, log);
    else log(`${only}: inspector on 127.0.0.1:${inspectorPortOf(only)}; the other services are left as they are`);
    await untilStopped(stop);
    log('stopping');
    return 0;
  });
}

function parse(args: readonly string[]): ProcessName | undefined | 'wrong' {
  const [option, name, ...more] = args;
  if (option === undefined) return undefined;
  const found = processNames.find((known) => known === name);
  return option === '--only' && found !== undefined && more.length === 0 ? found : 'wrong';
}

const readyMs = 60_000;

/** Creates the demo project once management and the sandbox answer. A failure is printed and ends nothing. */
async function seedWhenReady({ folder, addresses, secrets }: Session, stop: AbortSignal, log: Log): Promise<void> {
  const urls = [addresses.baseUrl.replace(/\/v1$/, '/readyz'), `${addresses.sandboxUrl}/readyz`];
  const areReady = async () => stop.aborted || (await Promise.all(urls.map(answers))).every(Boolean);
  if (!(await waitUntil(areReady, { withinMs: readyMs, everyMs: 100 })) || stop.aborted) return;
  try {
    const { demo } = await seedSandboxDemo({ folder, addresses, secrets });
    log(`demo: project ${demo.project.name}, addresses and key in ${demoFileOf(folder)}`);
  } catch (error) {
    log(`demo: not made: ${error instanceof Error ? error.message : String(error)}`);
  }
}
