import { until } from '@sluice/testkit';
import { useGround, type Seed } from './_executor';

const ground = useGround();

/** A connection whose access token has ended, with an app that can refresh it. */
async function seedExpired(refreshToken = 'r'): Promise<Seed> {
  const seed = await ground.seed({}, { accessToken: 'old', refreshToken });
  await ground.registerApp(seed, 'secret-1');
  ground.hubspot.tokens.expired.add('old');
  return seed;
}

const connectionOf = (seed: Seed) => ground.store.connections.find(seed.projectId, seed.connectionId);
const versionOf = async (seed: Seed) =>
  (await ground.store.connections.findCredentials(seed.projectId, seed.connectionId))?.tokenVersion;
const posted = () => ground.hubspot.tokens.posted.length;

// A refresh token is good once: a second refresh would cost the customer the connection.
it('[sec-44] two executors with many calls on an expired token refresh it once', async () => {
  const seed = await seedExpired();
  ground.hubspot.tokens.good.add('r');
  await ground.startExecutor();
  await ground.startExecutor();
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, at) => ground.accept(seed, [{ email: `r${at}@x.com` }])),
  );
  for (const id of ids) expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(posted()).toBe(1);
  expect(ground.hubspot.contacts.size).toBe(12);
  expect(await connectionOf(seed)).toMatchObject({ status: 'working' });
});

it('a lookup of a lost create refreshes too, and the record is found', async () => {
  const seed = await seedExpired();
  ground.hubspot.tokens.good.add('r');
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
  expect(posted()).toBe(1);
});

it('a grant that is gone: bad_credentials, and what comes next is held back until its deadline', async () => {
  const seed = await seedExpired();
  await ground.startExecutor();
  const first = await ground.accept(seed, [{ email: 'a@x.com' }]);
  await until('the refusal', async () => ((await connectionOf(seed))?.status === 'bad_credentials' ? true : undefined));
  const second = await ground.accept(seed, [{ email: 'b@x.com' }]);
  await until('the first is back', async () => ((await ground.callStates(first))[0] === 'ready' ? true : undefined));
  const [asked, sent] = [posted(), ground.hubspot.calls.length];
  expect(sent).toBe(1);
  for (const id of [first, second]) await ground.setDeadline(id, -1);
  for (const id of [first, second]) {
    expect(await ground.ended(seed, id)).toMatchObject({
      status: 'failure',
      result: expect.stringContaining('credentials'),
    });
  }
  expect([posted(), ground.hubspot.calls.length]).toEqual([asked, sent]);
  expect(await versionOf(seed)).toBe(1);
});

// Specification, Connection status: what hits no credential problem does not set bad_credentials.
it('a token endpoint that is down: the write waits, the connection stays, and all continues when it is back', async () => {
  const seed = await seedExpired();
  const { tokens } = ground.hubspot;
  tokens.good.add('r');
  tokens.answer = { status: 503, body: { error: 'invalid_grant' } };
  await ground.startExecutor();
  const operationId = await ground.accept(seed, [{ email: 'a@x.com' }]);
  await until('a failed refresh', () => (posted() > 0 ? true : undefined));
  await until('the call is back', async () =>
    (await ground.callStates(operationId))[0] === 'ready' ? true : undefined,
  );
  expect(await connectionOf(seed)).toMatchObject({ status: 'created' });
  const [attempt] = await ground.database('attempts').select('error_class', 'error_text');
  expect(attempt).toMatchObject({
    error_class: 'unavailable',
    error_text: expect.stringContaining('could not be refreshed'),
  });
  tokens.answer = undefined;
  expect(await ground.ended(seed, operationId)).toMatchObject({ status: 'success' });
});

it('an app that is refused: the connection stays, and the write succeeds once the app is right', async () => {
  const seed = await seedExpired();
  const { tokens } = ground.hubspot;
  tokens.good.add('r');
  tokens.clientSecret = 'secret-2';
  await ground.startExecutor();
  const operationId = await ground.accept(seed, [{ email: 'a@x.com' }]);
  await until('a refused app', () => (posted() > 0 ? true : undefined));
  await until('the call is back', async () =>
    (await ground.callStates(operationId))[0] === 'ready' ? true : undefined,
  );
  expect(await connectionOf(seed)).toMatchObject({ status: 'created' });
  const [attempt] = await ground.database('attempts').select('error_text');
  expect(attempt).toMatchObject({ error_text: expect.stringContaining('PATCH provider-apps/') });
  tokens.clientSecret = 'secret-1';
  expect(await ground.ended(seed, operationId)).toMatchObject({ status: 'success' });
});

it.each([
  ['an API key', { apiKey: 'old' }],
  ['an access token alone', { accessToken: 'old' }],
])('%s that is refused is bad_credentials at once, and no token is requested', async (_what, credentials) => {
  const seed = await ground.seed({}, credentials);
  await ground.registerApp(seed, 'secret-1');
  ground.hubspot.tokens.expired.add('old');
  await ground.startExecutor();
  await ground.accept(seed, [{ email: 'a@x.com' }]);
  await until('the refusal', async () => ((await connectionOf(seed))?.status === 'bad_credentials' ? true : undefined));
  expect(posted()).toBe(0);
  expect(ground.hubspot.calls).toHaveLength(1);
});
