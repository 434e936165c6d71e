/**
 * jest globalSetup of every project that touches real services. Postgres, Redis and Kafka are started, joined when they
 * run already (`npm run stack -- start`), or taken from DATABASE_URL, REDIS_URL and KAFKA_BROKERS.
 * Left untransformed: it runs outside of jest's module system, before any worker.
 */
import process from 'node:process';
import { serviceNames, stackDataDir, startStack } from '@sluice/local';

export default async function startForTests() {
  // Two projects may name this file; they share one stack.
  globalThis.sluiceTestStack ??= start();
  await globalThis.sluiceTestStack;
}

async function start() {
  const say = (line) => process.stderr.write(`  ${line}\n`);
  const dataDir = stackDataDir(process.env);
  process.stderr.write(`\nServices for the tests (kept in ${dataDir}):\n`);
  const stack = await startStack({ dataDir, want: serviceNames, log: say, env: process.env });
  process.env.DATABASE_URL = stack.databaseUrl;
  process.env.REDIS_URL = stack.redisUrl;
  process.env.KAFKA_BROKERS = stack.kafkaBrokers;
  say(`DATABASE_URL=${withoutPassword(stack.databaseUrl)}`);
  say(`REDIS_URL=${withoutPassword(stack.redisUrl)}`);
  say(`KAFKA_BROKERS=${stack.kafkaBrokers}`);
  return stack;
}

function withoutPassword(url) {
  return url.replace(/:[^:@/]*@/, ':***@');
}
