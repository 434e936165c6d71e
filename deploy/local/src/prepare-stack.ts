import { SluiceError } from '@sluice/errors';
import { createKafkaMessaging, topics } from '@sluice/messaging';
import { type Log, unavailable } from '@sluice/stack';
import { migrateDatabase, migrations } from '@sluice/store';
import { createMetrics, silentLogger } from '@sluice/telemetry';

/**
 * Creates the missing topics and prints which ones exist.
 * @param brokers `host:port`, comma separated
 * @param prefix of their names, KAFKA_TOPIC_PREFIX
 * @throws DependencyError when the broker does not answer
 */
export async function createTopics(brokers: string, log: Log, prefix = ''): Promise<void> {
  const messaging = createKafkaMessaging({
    brokers: brokers.split(',').map((broker) => broker.trim()),
    prefix,
    clientId: 'sluice-launcher',
    logger: silentLogger,
    metrics: createMetrics('launcher'),
  });
  try {
    await messaging.createTopics().catch((cause: unknown) => {
      throw cause instanceof SluiceError ? topicsRefused(brokers, cause) : cause;
    });
    const names = Object.values(topics).map(({ name, partitions }) => `${prefix}${name} (${partitions} partitions)`);
    log(`topics: ${names.join(', ')}`);
  } finally {
    await messaging.close();
  }
}

function topicsRefused(brokers: string, cause: SluiceError) {
  const detail = `The topics could not be created on ${brokers}: ${cause.detail}`;
  return unavailable(detail, { remedy: 'Check KAFKA_BROKERS.', cause });
}

/**
 * Migrates the schema to the current version and prints the steps.
 * @throws DependencyError when the database does not answer or refuses a step
 */
export async function migrateWithReport(databaseUrl: string, log: Log): Promise<void> {
  const applied = await migrateDatabase(databaseUrl).catch((cause: unknown) => {
    throw cause instanceof SluiceError ? cause : refused(databaseUrl, cause);
  });
  if (applied.length === 0) log(`schema: current, ${migrations.length} migrations`);
  else log(`schema: ${applied.length} of ${migrations.length} migrations applied: ${applied.join(', ')}`);
}

function refused(databaseUrl: string, cause: unknown) {
  // A refused connection to a name with two addresses has an empty message and its reasons inside.
  const reasons = cause instanceof AggregateError ? cause.errors : [cause];
  const reason = reasons.map((error) => (error instanceof Error ? error.message : String(error))).join('; ');
  return unavailable(`The database at ${withoutPassword(databaseUrl)} could not be migrated: ${reason}`, {
    remedy: 'Check DATABASE_URL, and that its user may create tables.',
    cause,
  });
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':***@');
}
