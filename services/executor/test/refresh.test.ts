import { useGround, type Seed } from './_executor';

const ground = useGround();

/** A connection whose access token has ended, with an app that can refresh it. */
async function seedExpired(): Promise<Seed> {
  const seed = await ground.seed({}, { accessToken: 'old', refreshToken: 'r' });
  await ground.registerApp(seed, 'secret-1');
  ground.hubspot.tokens.expired.add('old');
  ground.hubspot.tokens.good.add('r');
  return seed;
}

// A refresh token is good once: a second refresh would cost the customer the connection.
it('[sec-44] two executors with many calls on an expired token refresh it once', async () => {
  const seed = await seedExpired();
  await ground.startExecutor();
  await ground.startExecutor();
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, at) => ground.accept(seed, [{ email: `r${at}@x.com` }])),
  );
  for (const id of ids) expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(ground.hubspot.tokens.posted).toHaveLength(1);
  expect(ground.hubspot.contacts.size).toBe(12);
  const connection = await ground.store.connections.find(seed.projectId, seed.connectionId);
  expect(connection).toMatchObject({ status: 'working' });
});

it('a lookup of a lost create refreshes too, and the record is found', async () => {
  const seed = await seedExpired();
  ground.hubspot.tokens.expired.delete('old');
  // The create is committed and its reply lost; by the time of the lookup the token has ended.
  ground.hubspot.script.push((_call, apply) => {
    apply();
    ground.hubspot.tokens.expired.add('old');
    return 'hang-up';
  });
  await ground.startExecutor();
  const operationId = await ground.accept(seed, [{ email: 'a@x.com' }]);
  expect(await ground.ended(seed, operationId)).toMatchObject({ status: 'success' });
  expect(ground.hubspot.contacts.size).toBe(1);
  expect(ground.hubspot.writes()).toHaveLength(1);
  expect(ground.hubspot.tokens.posted).toHaveLength(1);
});
