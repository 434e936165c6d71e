import { sampleManifest } from '@sluice/testkit';
import { startGateway, type Seed } from './_gateway';

const body = { type: 'create', mode: 'asynchronous', record: { email: 'a@x.com' } };
/** With one a second, all of them would have to be spread over so many seconds to be let in. */
const burst = 20;

describe('[sec-38] a limit of requests', () => {
  it('is none by default', async () => {
    const gateway = await startGateway();
    const seed = await gateway.seed();
    const replies = await Promise.all(Array.from({ length: burst }, () => gateway.write(seed, body)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: burst }, () => 200));
    await gateway.stop();
  });

  it.each([
    ['SLUICE_REQUESTS_PER_SECOND_KEY', (own: Seed, other: Seed): Seed => ({ ...own, key: other.key })],
    ['SLUICE_REQUESTS_PER_SECOND_GROUP', (own: Seed, other: Seed): Seed => ({ ...other, key: own.key })],
  ])(
    '%s: a burst is 429 with Retry-After, stores nothing of it, and leaves the others alone',
    async (name, besideOf) => {
      const gateway = await startGateway({ env: { [name]: '1' } });
      const seed = await gateway.seed();
      const manifest = sampleManifest({ name: 'theirs' });
      const other = await gateway.seed({ projectId: seed.projectId, groupRef: 'theirs', manifest });
      const replies = await Promise.all(Array.from({ length: burst }, () => gateway.write(seed, body)));
      const refused = replies.filter(({ status }) => status === 429);
      const accepted = replies.filter(({ status }) => status === 200);
      await gateway.write(besideOf(seed, other), body).expect(200);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length + accepted.length).toBe(burst);
      for (const { headers, body: problem } of refused) {
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(problem).toMatchObject({ code: 'request.rate-limited', detail: expect.stringContaining(name) });
      }
      expect((await gateway.countRows())['operations']).toBe(accepted.length + 1);
      await gateway.stop();
    },
  );
});
