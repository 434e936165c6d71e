import { startTcpProxy, type TcpProxy, until } from '@sluice/testkit';
import { foundRecords } from './fake-hubspot';
import { startSearch, type RunningSearch, type Seed } from './start-search';

let search: RunningSearch;
let proxy: TcpProxy;
let seed: Seed;
beforeAll(async () => {
  search = await startSearch(async (url) => {
    proxy = await startTcpProxy(url);
    return proxy.url;
  });
  seed = await search.seed();
  search.hubspot.answer = foundRecords({ hs_object_id: '501', email: 'a@b.c' });
});
afterAll(async () => {
  await search.stop();
  proxy.close();
});

const body = { objectName: 'contacts', fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'a@b.c' }] };
const ask = () => search.post(seed.path).set('x-api-key', seed.key).send(body);

it('the database is away: 503 with Retry-After, the provider is not called, and it recovers by itself', async () => {
  await ask().expect(200);
  const asked = search.hubspot.calls.length;
  proxy.cut();
  const reply = await ask().expect(503);
  expect(reply.type).toBe('application/problem+json');
  expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(reply.body).toMatchObject({ code: 'service.unavailable', retryable: true, remedy: expect.any(String) });
  expect(reply.text).not.toMatch(/ECONN|127\.0\.0\.1|postgres/i);
  expect(search.hubspot.calls).toHaveLength(asked);
  await proxy.mend();
  await ask().expect(200);
});

it('the database is hung: 503 in time, and it recovers by itself', async () => {
  await ask().expect(200);
  const asked = search.hubspot.calls.length;
  proxy.disturb({ silent: 'reply' });
  const begunAtMs = performance.now();
  await ask().expect(503);
  // Less than a connection may be silent without the watch; on an idle machine it is 3 s.
  expect(performance.now() - begunAtMs).toBeLessThan(25_000);
  expect(search.hubspot.calls).toHaveLength(asked);
  proxy.disturb();
  await until('a search', async () => ((await ask()).status === 200 ? true : undefined));
});

it('the database goes away while the provider refuses for its quota: its 429 with its time reaches the caller', async () => {
  Object.defineProperty(search.hubspot, 'answer', {
    get: () => {
      proxy.cut();
      return { status: 429, body: { policyName: 'SECONDLY' } };
    },
  });
  const asked = search.hubspot.calls.length;
  const reply = await ask().expect(429);
  expect(reply.body).toMatchObject({ code: 'provider.quota-exhausted', retryAfter: expect.any(String) });
  expect(reply.headers['retry-after']).toBe('1');
  expect(search.hubspot.calls).toHaveLength(asked + 1);
  await proxy.mend();
});
