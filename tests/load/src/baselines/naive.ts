import { randomUUID } from 'node:crypto';
import express from 'express';
import { Kafka, logLevel } from 'kafkajs';
import { knex } from 'knex';
import { readArgument } from '../harness/child';
import { listen, type BaselineArgument } from './listen';
import { startNaiveConsumer } from './naive-consumer';

/**
 * What one writes first: per request one insert with knex and one message with kafkajs, both awaited, then the reply. Each message is one
 * provider call and one update.
 */
const argument = readArgument() as BaselineArgument & { readonly topic: string };
void main();

async function main(): Promise<void> {
  const { databaseUrl, kafkaBrokers, topic, providerUrl } = argument;
  const database = knex({ client: 'pg', connection: databaseUrl, pool: { min: 2, max: 10 } });
  await createTable(database);
  const kafka = new Kafka({ clientId: 'naive', brokers: kafkaBrokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 8 }], waitForLeaders: true });
  await admin.disconnect();
  const producer = kafka.producer();
  await producer.connect();
  await startNaiveConsumer(kafka, database, { topic, providerUrl });

  const app = express();
  app.use(express.json());
  app.post('/writes', async (request, response) => {
    const operationId = randomUUID();
    await database('writes').insert({ id: operationId, body: JSON.stringify(request.body), state: 'queued' });
    await producer.send({ topic, messages: [{ key: operationId, value: JSON.stringify(request.body) }] });
    response.json({ operationId });
  });
  listen(app);
}

async function createTable(database: ReturnType<typeof knex>): Promise<void> {
  await database.schema.createTable('writes', (table) => {
    table.uuid('id').primary();
    table.jsonb('body').notNullable();
    table.text('state').notNullable();
    table.text('result');
    table.timestamp('created_at').notNullable().defaultTo(database.fn.now());
  });
}
