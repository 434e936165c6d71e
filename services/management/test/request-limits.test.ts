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
