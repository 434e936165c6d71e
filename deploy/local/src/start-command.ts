import { readProcessEnv } from '@sluice/config';
import { listenForStop, readLocalSettings, say, untilStopped } from '@sluice/stack';
import { demoFileOf, describeRunning } from './demo/demo';
import { seedSandboxDemo } from './demo/seed-demo';
import { withLocalWebhooks } from './footprints/service-env';
import { refuseScaledTime, runSession, type Session } from './run-session';
import { runTour, wasShown } from './tour';

const usage = `npm start [-- --once] [-- --tour] [-- --distributed]
  Starts Sluice with imitations of HubSpot and Salesforce, makes a demo project, shows what it does in a tour of two minutes, and stays up until
  Ctrl-C. The tour writes some 300 records, so a later start leaves it out.
  --once         ends after the tour: 0 when every step was right, else 1
  --tour         shows it again
  --distributed  five processes on Kafka, Redis and Postgres, in place of one process on Postgres
`;

const observed = `--observe is gone: deploy/compose with observe.yaml has Prometheus, Grafana and Jaeger. Traces of npm start go to the collector of OTEL_EXPORTER_OTLP_ENDPOINT.
`;

const footprints = {
  embedded: 'footprint: embedded, no Kafka (one process, Postgres on this machine)',
  distributed: 'footprint: distributed, Kafka, Redis and Postgres (five services as processes)',
} as const;

interface StartOptions {
  readonly isOnce: boolean;
  /** The tour is shown, whether or not it was before. */
  readonly withTour: boolean;
  readonly footprint: keyof typeof footprints;
}

/** `npm start`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options === undefined) {
    process.stderr.write(args.includes('--observe') ? observed : usage);
    return 2;
  }
  const { footprint, isOnce, withTour } = options;
  const given = readLocalSettings(readProcessEnv());
  refuseScaledTime(given);
  say(footprints[footprint]);
  const stop = listenForStop();
  const settings = { ...given, env: withLocalWebhooks(given.env) };
  const common = { settings, home: settings.dataDir, command: 'npm start', withSandbox: true, stop, log: say };
  return await runSession({ ...common, footprint }, async (session) => {
    const { demo, isRight } = await showDemo(session, withTour, stop);
    const code = isRight ? 0 : 1;
    if (isOnce) return code;
    for (const line of describeRunning(demo, demoFileOf(session.folder))) say(line);
    await untilStopped(stop);
    say('stopping');
    return code;
  });
}

async function showDemo(
  { folder, addresses, secrets, footprint: { logs } }: Session,
  withTour: boolean,
  stop: AbortSignal,
) {
  const { accounts, demo } = await seedSandboxDemo({ folder, addresses, secrets });
  const [first] = demo.integrations;
  say(`demo: project ${demo.project.name}, group ${first?.groupRef}, all in ${demoFileOf(folder)}; logs: ${logs}`);
  if (!withTour && (await wasShown(demo))) {
    say('The tour was shown at an earlier start, and its records are there. Again: npm start -- --tour');
    return { demo, isRight: true };
  }
  const isRight = await runTour({ demo, sandboxUrl: addresses.sandboxUrl, accounts, signal: stop, print: say });
  return { demo, isRight };
}

function parse(args: readonly string[]): StartOptions | undefined {
  const known = ['--once', '--tour', '--distributed'];
  if (args.some((arg) => !known.includes(arg))) return undefined;
  const isOnce = args.includes('--once');
  return {
    isOnce,
    withTour: isOnce || args.includes('--tour'),
    footprint: args.includes('--distributed') ? 'distributed' : 'embedded',
  };
}
