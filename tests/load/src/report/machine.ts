import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import type { Addresses } from '../harness/addresses';
import { withDatabase } from '../harness/database';

/** What figures depend on. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGigabytes: number;
  readonly node: string;
  readonly postgres: string;
  /** fsync and synchronous_commit. */
  readonly durability: string;
  readonly redis: string;
  readonly kafka: string;
  readonly packages: string;
}

export async function describeMachine(addresses: Addresses): Promise<Machine> {
  const [postgres, redis, kafka] = await Promise.all([
    askPostgres(addresses.databaseUrl),
    askRedis(addresses.redisUrl),
    askKafka(addresses.kafkaBrokers),
  ]);
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    ...postgres,
    redis,
    kafka,
    packages: ['express', 'knex', 'kafkajs', 'bullmq', 'pg-boss', 'undici'].map(versionOf).join(', '),
  };
}

function askPostgres(url: string): Promise<{ postgres: string; durability: string }> {
  return withDatabase(url, async (database) => {
    const show = async (name: string): Promise<string> => {
      const { rows } = await database.raw<{ rows: Record<string, string>[] }>(`show ${name}`);
      return rows[0]?.[name] ?? 'unknown';
    };
    const durability = `fsync ${await show('fsync')}, synchronous_commit ${await show('synchronous_commit')}`;
    return { postgres: await show('server_version'), durability };
  });
}

async function askRedis(url: string): Promise<string> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown';
    const isAppending = /aof_enabled:1/.test(await redis.info('persistence'));
    return `${version}, AOF ${isAppending ? 'on' : 'off'}`;
  } finally {
    redis.disconnect();
  }
}

/** A broker names no version; how many there are is what matters. */
async function askKafka(brokers: string): Promise<string> {
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const cluster = await admin.describeCluster();
    return `${cluster.brokers.length} broker`;
  } finally {
    await admin.disconnect();
  }
}

/** `express 5.3.0`, as the lockfile gave it to this package. */
function versionOf(name: string): string {
  const file = join(__dirname, '..', '..', 'node_modules', name, 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return `${name} ${version}`;
}
