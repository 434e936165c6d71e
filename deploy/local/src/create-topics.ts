import { DependencyError, SluiceError } from '@sluice/errors';
import { createKafkaMessaging, topics } from '@sluice/messaging';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { Log } from '@sluice/stack';

/**
 * Makes the topics that are missing and says which ones there are.
 * @param brokers `host:port`, comma separated
 * @throws DependencyError when the broker does not answer
 */
export async function createTopics(brokers: string, log: Log): Promise<void> {
  const messaging = createKafkaMessaging({
    brokers: brokers.split(',').map((broker) => broker.trim()),
    clientId: 'sluice-launcher',
    logger: silentLogger,
    metrics: createMetrics('launcher'),
  });
  try {
    await messaging.createTopics().catch((cause: unknown) => {
      throw cause instanceof SluiceError ? refused(brokers, cause) : cause;
    });
    const names = Object.values(topics).map(({ name, partitions }) => `${name} (${partitions} partitions)`);
    log(`topics: ${names.join(', ')}`);
  } finally {
    await messaging.close();
  }
}

function refused(brokers: string, cause: SluiceError): DependencyError {
  const detail = `The topics could not be created on ${brokers}: ${cause.detail}`;
  return new DependencyError({ code: 'service.unavailable', detail, remedy: 'Check KAFKA_BROKERS.', cause });
}
