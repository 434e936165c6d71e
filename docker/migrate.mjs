/**
 * Brings the database and the topics to what the services of this version need, then ends. Safe to run again, and from
 * several hosts at once. With --from-0.2 it takes over a database of version 0.2.0 first. Lies in its image beside the `node_modules` of the batcher.
 */
import process from 'node:process';
import { databaseAccess, defineEnv, kafkaAccess, kafkaEnv, postgresEnv, readProcessEnv } from '@sluice/config';
import { createKafkaMessaging, topics } from '@sluice/messaging';
import { migrateDatabase, migrations } from '@sluice/store';
import { createLogger, createMetrics, silentLogger } from '@sluice/telemetry';

try {
  const from02 = takesOver(process.argv.slice(2));
  const env = readProcessEnv();
  refuseMissingSecrets(env);
  const config = defineEnv({ ...postgresEnv, ...kafkaEnv }).read(env);
  const { databaseWaitMs: waitMs } = config;
  const { url, tls } = databaseAccess(config);
  const logger = createLogger({ service: 'migrate', level: 'warn' });
  const access = kafkaAccess(config);
  const applied = await migrateDatabase(url, { waitMs, logger, tls, from02 }).catch((error) => {
    throw new Error(`The database could not be migrated: ${explain(error)}`);
  });
  say(`schema: ${applied.length} of ${migrations.length} migrations applied`, applied);
  await createTopics(access);
  say(
    'topics:',
    Object.values(topics).map((topic) => describeTopic(topic, access.prefix)),
  );
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

function takesOver(args) {
  if (args.length === 0) return false;
  if (args.length === 1 && args[0] === '--from-0.2') return true;
  throw new Error(`${args.join(' ')}: the only argument is --from-0.2, which takes over a database of version 0.2.0.`);
}

/**
 * The chart's Job starts without a Secret that is not there, so that the reason can be said: MIGRATE_SECRETS is a JSON object, variable ->
 * where it comes from.
 */
function refuseMissingSecrets(env) {
  const missing = Object.entries(JSON.parse(env.MIGRATE_SECRETS ?? '{}')).filter(([name]) => env[name] === undefined);
  if (missing.length === 0) return;
  const lines = missing.map(([name, source]) => `${name} is not there: no ${source}.`);
  throw new Error([...lines, 'Make it in this namespace, then install again.'].join('\n'));
}

async function createTopics(access) {
  const metrics = createMetrics('migrate');
  const messaging = createKafkaMessaging({ ...access, clientId: 'sluice-migrate', logger: silentLogger, metrics });
  try {
    await messaging.createTopics();
  } finally {
    await messaging.close();
  }
}

function describeTopic({ name, partitions }, prefix = '') {
  return `${prefix}${name} (${partitions} partitions)`;
}

/** Our own errors say what to do; a refused connection to a name with two addresses has its reasons inside. */
function explain(error) {
  if (error instanceof AggregateError) return error.errors.map(explain).join('; ');
  return [error.detail ?? error.message, error.remedy].filter((part) => part !== undefined).join('\n');
}

function say(line, names) {
  process.stdout.write(`${[line, ...names].join('\n  ')}\n`);
}
