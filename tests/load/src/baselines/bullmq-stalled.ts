import { Worker } from 'bullmq';
import { readArgument, sendReady } from '../harness/child';
import { redisConnection } from './bullmq-connection';

/** A BullMQ worker whose job never ends; it reports when it has one. Default settings: a lock of 30 s, a check for stalled jobs every 30 s. */
const { redisUrl, queue } = readArgument() as { redisUrl: string; queue: string };
const worker = new Worker(
  queue,
  async () => {
    process.send?.({ startedAt: Date.now() });
    await new Promise(() => undefined);
  },
  { connection: redisConnection(redisUrl) },
);
void worker.waitUntilReady().then(() => sendReady({ ready: true }));
