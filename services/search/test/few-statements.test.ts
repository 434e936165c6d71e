import { startTcpProxy, type TcpProxy } from '@sluice/testkit';
import { startSearch, type RunningSearch } from './start-search';

let search: RunningSearch;
let proxy: TcpProxy;
beforeAll(async () => {
  search = await startSearch(async (url) => {
    proxy = await startTcpProxy(url);
    return proxy.url;
  });
});
afterAll(async () => {
  await search.stop();
  proxy.close();
});

// Installation, credentials and the block of the account are read together: each statement is a round trip that the caller waits for.
it('a search is one statement', async () => {
  const seed = await search.seed();
  const counts: number[] = [];
  for (let time = 0; time < 10; time += 1) {
    const before = proxy.statements();
    await search
      .post(seed.path)
      .set('x-api-key', seed.key)
      .send({ objectName: 'contacts', fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'a@x.com' }] })
      .expect(200);
    counts.push(proxy.statements() - before);
  }
  // The key is known for a second, and plans are made anew every five.
  expect(Math.min(...counts)).toBe(1);
});
