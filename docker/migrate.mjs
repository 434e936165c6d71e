/**
 * Brings the database and the topics to what the services of this version need, then ends. Safe to run again and from
 * several places at once. Lies in its image beside the `node_modules` of the batcher.
 */
import process from 'node:process';
import { commonEnv, defineEnv, kafkaEnv, postgresEnv, readProcessEnv } from '@sluice/config';
import { createKafkaMessaging } from '@sluice/messaging';
import { migrateDatabase } from '@sluice/store';
import { createLogger, createMetrics } from '@sluice/telemetry';

const { SLUICE_LOG_LEVEL } = commonEnv;

try {
  const config = defineEnv({ SLUICE_LOG_LEVEL, ...postgresEnv, ...kafkaEnv }).read(readProcessEnv());
  const steps = await migrateDatabase(config.databaseUrl);
  say(steps.length === 0 ? 'database: up to date' : `database: ${steps.join(', ')}`);
  await createTopics(config);
  say('topics: up to date');
} catch (error) {
  process.stderr.write(`${[error.detail ?? error.message, error.remedy].filter(Boolean).join('\n')}\n`);
  process.exitCode = 1;
}

async function createTopics({ kafkaBrokers, logLevel }) {
  const messaging = createKafkaMessaging({
    brokers: kafkaBrokers,
    clientId: 'sluice-migrate',
    logger: createLogger({ service: 'migrate', level: logLevel }),
    metrics: createMetrics('migrate'),
  });
  try {
    await messaging.createTopics();
  } finally {
    await messaging.close();
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
