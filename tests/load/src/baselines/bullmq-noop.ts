import { Queue, Worker } from 'bullmq';
import { answerMessages, readArgument, sendReady } from '../harness/child';
import { redisConnection } from './bullmq-connection';

/** A BullMQ worker that does nothing, 100 jobs at once. Each message fills the queue first and then times the worker alone. */
const { redisUrl } = readArgument() as { redisUrl: string };
const connection = redisConnection(redisUrl);
const queue = new Queue('bench-noop', { connection, defaultJobOptions: { removeOnComplete: true } });
/** Jobs of one addBulk. */
const chunk = 1_000;

answerMessages(async (message) => {
  const { jobs, body } = message as { jobs: number; body: string };
  await queue.obliterate({ force: true });
  const data: unknown = JSON.parse(body);
  for (let left = jobs; left > 0; left -= chunk) {
    await queue.addBulk(Array.from({ length: Math.min(chunk, left) }, () => ({ name: 'write', data })));
  }
  const startedAtMs = performance.now();
  await workOff(jobs);
  return { elapsedMs: performance.now() - startedAtMs };
});
void queue.waitUntilReady().then(() => sendReady({ ready: true }));

async function workOff(jobs: number): Promise<void> {
  let done = 0;
  const all = Promise.withResolvers<void>();
  const worker = new Worker('bench-noop', async () => undefined, { connection, concurrency: 100 });
  worker.on('completed', () => {
    done += 1;
    if (done === jobs) all.resolve();
  });
  worker.on('error', (error) => all.reject(error));
  await all.promise;
  await worker.close();
}
