import { useFixture, type Seed } from './_executor';

const fixture = useFixture();

/** A connection whose access token has ended, with an app that can refresh it. */
async function seedExpired(): Promise<Seed> {
  const seed = await fixture.seed({}, { accessToken: 'old', refreshToken: 'r' });
  await fixture.registerApp(seed, 'secret-1');
  fixture.hubspot.tokens.expired.add('old');
  fixture.hubspot.tokens.good.add('r');
  return seed;
}

// A refresh token is good once: a second refresh would cost the customer the connection.
it('[sec-44] two executors with many calls on an expired token refresh it once', async () => {
  const seed = await seedExpired();
  await fixture.startExecutor();
  await fixture.startExecutor();
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, at) => fixture.accept(seed, [{ email: `r${at}@x.com` }])),
  );
  for (const id of ids) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(fixture.hubspot.tokens.posted).toHaveLength(1);
  expect(fixture.hubspot.contacts.size).toBe(12);
  const connection = await fixture.store.connections.find(seed.projectId, seed.connectionId);
  expect(connection).toMatchObject({ status: 'working' });
});

it('a lookup of a lost create refreshes too, and the record is found', async () => {
  const seed = await seedExpired();
  fixture.hubspot.tokens.expired.delete('old');
  // The create is committed and its reply lost; by the time of the lookup the token has ended.
  fixture.hubspot.script.push((_call, apply) => {
    apply();
    fixture.hubspot.tokens.expired.add('old');
    return 'hang-up';
  });
  await fixture.startExecutor();
  const operationId = await fixture.accept(seed, [{ email: 'a@x.com' }]);
  expect(await fixture.ended(seed, operationId)).toMatchObject({ status: 'success' });
  expect(fixture.hubspot.contacts.size).toBe(1);
  expect(fixture.hubspot.writes()).toHaveLength(1);
  expect(fixture.hubspot.tokens.posted).toHaveLength(1);
});
