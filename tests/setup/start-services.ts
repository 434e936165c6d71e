import { DependencyError } from '@sluice/errors';
import { serviceNames, stackDataDir, startStack } from '@sluice/stack';

type Services = Awaited<ReturnType<typeof start>>;

/** Several projects name this file, and share the services. */
let services: Promise<Services> | undefined;

/** What a shell takes for "cannot run at all", as distinct from a test that failed. */
const cannotRun = 2;

/**
 * jest globalSetup of every project that touches real services. Postgres, Redis and Kafka are started, joined when they
 * run already (`npm run stack -- start`), or taken from DATABASE_URL, REDIS_URL and KAFKA_BROKERS.
 */
export default async function startServices(): Promise<void> {
  services ??= start();
  await services;
}

/**
 * They end with the last one who needs them, unless `npm run stack -- start` asked to keep them. With LEAVE_SERVICES whoever set it sees to
 * that (`stack release`), after its last run of jest.
 */
export async function stopServices(): Promise<void> {
  if (process.env['LEAVE_SERVICES']) return;
  await (await services)?.stop();
  services = undefined;
}

async function start() {
  const say = (line: string): void => void process.stderr.write(`  ${line}\n`);
  const dataDir = stackDataDir(process.env);
  process.stderr.write(`\nServices for the tests (kept in ${dataDir}):\n`);
  const started = await startStack({ dataDir, want: serviceNames, log: say, env: process.env, isDurable: false }).catch(
    refuse,
  );
  process.env['DATABASE_URL'] = started.databaseUrl;
  process.env['REDIS_URL'] = started.redisUrl;
  process.env['KAFKA_BROKERS'] = started.kafkaBrokers;
  say(`DATABASE_URL=${started.databaseUrl.replace(/:[^:@/]*@/, ':***@')}`);
  say(`REDIS_URL=${started.redisUrl}`);
  say(`KAFKA_BROKERS=${started.kafkaBrokers}`);
  return started;
}

/** What the machine lacks is a sentence for people, not a failed test. */
function refuse(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error;
  process.stderr.write(`${[error.detail, error.remedy].filter(Boolean).join(' ')}\n`);
  process.exit(cannotRun);
}
