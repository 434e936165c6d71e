import { readProcessEnv } from '@sluice/config';

/** Where Postgres, Redis and Kafka are. */
export interface Addresses {
  /** Superuser on the server's own database. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly kafkaBrokers: string;
}

/** As the launcher of the benchmark gave them. @throws when one is missing */
export function readAddresses(): Addresses {
  const env = readProcessEnv();
  const read = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === '')
      throw new Error(`${name} is not set: start the benchmark with npm run bench`);
    return value;
  };
  return {
    databaseUrl: read('DATABASE_URL'),
    redisUrl: read('REDIS_URL'),
    kafkaBrokers: read('KAFKA_BROKERS'),
  };
}
