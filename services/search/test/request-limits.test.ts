import { startSearch } from './start-search';

const burst = 20;

// With one a second, all of them would have to be spread over twenty seconds to be let in.
it.each(['SLUICE_REQUESTS_PER_SECOND_KEY', 'SLUICE_REQUESTS_PER_SECOND_GROUP'])(
  '[sec-38] %s: a burst of searches is 429 with Retry-After',
  async (name) => {
    const search = await startSearch(undefined, { [name]: '1' });
    const seed = await search.seed();
    const body = { objectName: 'contacts', fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'a@x.com' }] };
    const send = () => search.post(seed.path).set('x-api-key', seed.key).send(body);
    const replies = await Promise.all(Array.from({ length: burst }, send));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, body: problem } of refused) {
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(problem).toMatchObject({ code: 'request.rate-limited', detail: expect.stringContaining(name) });
    }
    await search.stop();
  },
);
