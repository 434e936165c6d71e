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
      if (!(cause instanceof SluiceError)) throw cause;
      const detail = `The topics could not be created on ${brokers}: ${cause.detail}`;
      throw unavailable(detail, { remedy: cause.remedy, cause });
    });
    const names = Object.values(topics).map(({ name, partitions }) => `${prefix}${name} (${partitions} partitions)`);
    log(`topics: ${names.join(', ')}`);
  } finally {
    await messaging.close();
  }
}

/**
 * Migrates the schema to the current version and prints the steps.
 * @param from02 whether a database of 0.2.0 is taken over first; otherwise it is refused
 * @throws DependencyError when the database does not answer or refuses a step
 */
export async function migrateWithReport(databaseUrl: string, log: Log, from02 = false): Promise<void> {
  const applied = await migrateDatabase(databaseUrl, { from02 });
  if (applied.length === 0) log(`schema: current, ${migrations.length} migrations`);
  else log(`schema: ${applied.length} of ${migrations.length} migrations applied: ${applied.join(', ')}`);
}
