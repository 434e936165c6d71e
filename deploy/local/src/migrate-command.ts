import { readProcessEnv } from '@sluice/config';
import { givenUrls, isAlive, readLocalSettings, readState, say, stackDataDir, startStack } from '@sluice/stack';
import { createTopics, migrateWithReport } from './prepare-stack';

const usage = `npm run migrate
  Brings the database named by DATABASE_URL to the current schema, else that of the local stack; creates the topics
  on KAFKA_BROKERS, or on the local stack's Kafka while it runs. Safe to repeat, and from several machines at once.
  --from-0.2  takes over a database of version 0.2.0, while none of its services runs
`;

/** `npm run migrate`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const from02 = args[0] === '--from-0.2';
  if (args.length > (from02 ? 1 : 0)) {
    process.stderr.write(usage);
    return 2;
  }
  const { env } = readLocalSettings(readProcessEnv());
  const dataDir = stackDataDir(env);
  const hasKafka = givenUrls(env).kafka !== undefined || (!givenUrls(env).postgres && (await runsLocally(dataDir)));
  const stack = await startStack({ dataDir, want: hasKafka ? ['postgres', 'kafka'] : ['postgres'], env, log: say });
  try {
    await migrateWithReport(stack.databaseUrl, say, from02);
    if (hasKafka) await createTopics(stack.kafkaBrokers, say, env['KAFKA_TOPIC_PREFIX']);
    else say('topics: none created; KAFKA_BROKERS names no broker');
  } finally {
    await stack.stop();
  }
  return 0;
}

async function runsLocally(dataDir: string): Promise<boolean> {
  const { kafka } = readState(dataDir).services;
  return kafka !== undefined && (await isAlive(kafka.runtime));
}
