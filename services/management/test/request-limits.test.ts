import { tokenIssuer } from '@sluice/testkit';
import { adminKey, startManagement } from './start-management';

const burst = 20;

// With one a second, all of them would have to be spread over twenty seconds to be let in. Without a Redis the process counts by itself.
it('[sec-38] SLUICE_REQUESTS_PER_SECOND_KEY: a burst of one key is 429 with Retry-After, and other keys go on', async () => {
  const management = await startManagement(undefined, undefined, { SLUICE_REQUESTS_PER_SECOND_KEY: '1' });
  const project = await management.newProject();
  const other = await management.newKey(project.id, ['full']);
  const ask = (key: string) => management.as(key).get(`/v1/projects/${project.id}/integrations`);
  const replies = await Promise.all(Array.from({ length: burst }, () => ask(project.key)));
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers, body } of refused) {
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(body).toMatchObject({ code: 'request.rate-limited' });
  }
  await ask(other).expect(200);
  const asAdmin = await Promise.all(Array.from({ length: burst }, () => management.as(adminKey).get('/v1/projects')));
  expect(asAdmin.map(({ status }) => status)).toEqual(Array.from({ length: burst }, () => 200));
  await management.stop();
});

// A bearer token is one customer's browser. What a builder's key asks about a group is its own, and bounded by the limit of the key.
it('[sec-38] SLUICE_REQUESTS_PER_SECOND_GROUP: a burst of one group is 429, and other groups and API keys go on', async () => {
  const management = await startManagement(undefined, undefined, { SLUICE_REQUESTS_PER_SECOND_GROUP: '1' });
  const project = await management.newProject();
  const issuer = tokenIssuer();
  const { publicKeyPem } = issuer;
  const { id } = await management.context.store.jwtKeys.create({ projectId: project.id, label: 'test', publicKeyPem });
  const tokenFor = (groupRef: string, consumerRef: string) =>
    issuer.issue(id, { groupRef, consumerRef, sub: consumerRef });
  const ask = (token: string) => management.as(token).get(`/v1/projects/${project.id}/connections`);
  // Two users of one group share its limit.
  const [ann, bob, other] = [tokenFor('acme', 'ann'), tokenFor('acme', 'bob'), tokenFor('other', 'ann')];
  const replies = await Promise.all(Array.from({ length: burst }, (_, at) => ask(at % 2 === 0 ? ann : bob)));
  const refused = replies.filter(({ status }) => status === 429);
  const served = replies.filter(({ status }) => status === 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(served.length).toBeGreaterThan(0);
  expect(refused.length + served.length).toBe(burst);
  for (const { headers, body } of refused) {
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(body).toMatchObject({
      code: 'request.rate-limited',
      detail: expect.stringContaining('SLUICE_REQUESTS_PER_SECOND_GROUP'),
    });
  }
  await ask(other).expect(200);
  const path = `/v1/projects/${project.id}/connections?groupRef=acme`;
  const byKey = await Promise.all(Array.from({ length: burst }, () => management.as(project.key).get(path)));
  expect(byKey.map(({ status }) => status)).toEqual(Array.from({ length: burst }, () => 200));
  await management.stop();
});
