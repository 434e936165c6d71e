import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { answerMessages, readArgument, sendReady } from '../harness/child';
import type { BaselineArgument } from './listen';

/**
 * Each operation retries on its own, as a job queue does: 1 s, doubled each time, at most a minute, full jitter (the usual advice,
 * AWS Architecture Blog "Exponential backoff and jitter"). It knows nothing of the others and does not read Retry-After.
 */
const { providerUrl } = readArgument() as BaselineArgument;
const agent = new Agent({ connections: 64 });
const firstMs = 1_000;
const longestMs = 60_000;

answerMessages(async (message) => {
  const { operations, forMs, account } = message as { operations: number; forMs: number; account: string };
  const untilMs = performance.now() + forMs;
  await Promise.all(Array.from({ length: operations }, () => tryUntil(untilMs, account)));
  return {};
});
sendReady({ ready: true });

async function tryUntil(untilMs: number, account: string): Promise<void> {
  for (let attempt = 0; performance.now() < untilMs; attempt += 1) {
    const reply = await request(`${providerUrl}/crm/v3/objects/contacts`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account}` },
      body: '{"properties":{}}',
    });
    await reply.body.dump();
    if (reply.statusCode < 300) return;
    const delayMs = Math.random() * Math.min(longestMs, firstMs * 2 ** attempt);
    if (performance.now() + delayMs >= untilMs) return;
    await sleep(delayMs);
  }
}
