import { Queue } from 'bullmq';
import express from 'express';
import { readArgument } from '../harness/child';
import { redisConnection } from './bullmq-connection';
import { listen, type BaselineArgument } from './listen';

/** Express 5 and one awaited `queue.add` per request. Redis keeps nothing on disk (AOF off), so nothing here is durable. */
const { redisUrl } = readArgument() as BaselineArgument;
const queue = new Queue('bench-add', { connection: redisConnection(redisUrl) });
const app = express();
app.use(express.json());
app.post('/writes', async (request, response) => {
  const job = await queue.add('write', request.body);
  response.json({ operationId: job.id });
});
// What an earlier round left would fill the memory.
app.delete('/writes', async (_request, response) => {
  await queue.obliterate({ force: true });
  response.json({});
});
void queue.waitUntilReady().then(() => listen(app));
