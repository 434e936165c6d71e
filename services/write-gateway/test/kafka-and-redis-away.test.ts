import { until } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway({ isAlone: true, env: { SLUICE_CALL_TIMEOUT_MS: '20000' } });
let seed: Seed;
beforeAll(async () => {
  seed = await gateway.seed();
});

// Postgres alone holds the promise: a broker and a cache that are away cost a caller nothing.
it.each<[string, object]>([
  ['synchronous', {}],
  ['asynchronous', { mode: 'asynchronous' }],
  ['auto-batched', { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 5 } }],
])('%s: fifty writes at once are accepted, and none waits for the announcements of the others', async (_, more) => {
  const records = (await gateway.countRows())['records'] ?? 0;
  const startedAtMs = performance.now();
  const writes = Array.from({ length: 50 }, async (_each, at) => {
    const body = { type: 'create', record: { email: `${at}@x.com` }, ...more };
    await gateway.write(seed, body).expect(200);
  });
  await Promise.all(writes);
  // Less than the two seconds that an announcement waits for the broker, times fifty: nobody stood behind one.
  expect(performance.now() - startedAtMs).toBeLessThan(60_000);
  expect((await gateway.countRows())['records']).toBe(records + 50);
  const { body } = await until('both are checked', async () => {
    const reply = await gateway.get('/readyz').expect(200);
    return (reply.body as { degraded: string[] }).degraded.length === 2 ? reply : undefined;
  });
  expect(body).toEqual({
    status: 'ready',
    ready: true,
    checks: { postgres: 'ok', redis: 'does not answer', kafka: expect.stringMatching(/^does not answer/) },
    degraded: ['redis', 'kafka'],
  });
});
