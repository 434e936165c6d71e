import type { Kafka } from 'kafkajs';
import type { Knex } from 'knex';
import { Agent, request } from 'undici';

export interface NaiveWork {
  readonly topic: string;
  readonly providerUrl: string;
}

/** Partitions worked on at once: kafkajs goes on only behind the message it has. */
const together = 8;

/** Per message one provider call, then one update of its row. */
export async function startNaiveConsumer(kafka: Kafka, database: Knex, { topic, providerUrl }: NaiveWork) {
  const agent = new Agent({ connections: together });
  const consumer = kafka.consumer({ groupId: `${topic}-workers` });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    partitionsConsumedConcurrently: together,
    eachMessage: async ({ message }) => {
      const { record } = JSON.parse(String(message.value)) as { record: object };
      const reply = await request(`${providerUrl}/crm/v3/objects/contacts`, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json', authorization: 'Bearer bench-0' },
        body: JSON.stringify({ properties: record }),
      });
      const { id } = (await reply.body.json()) as { id: string };
      await database('writes')
        .where({ id: String(message.key) })
        .update({ state: 'success', result: id });
    },
  });
}
