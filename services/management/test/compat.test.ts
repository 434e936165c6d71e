import { useManagement } from './start-management';

const management = useManagement();

describe.each([
  ['groups', { groupRef: 'acme', groupName: 'Acme' }],
  ['consumers', { consumerRef: 'anna', consumerName: 'Anna' }],
])('POST P/%s', (noun, body) => {
  it('201 without a body, as often as it is sent', async () => {
    const project = await management.newProject();
    const send = () => management.as(project.key).post(`/v1/projects/${project.name}/${noun}`).send(body);
    expect((await send().expect(201)).text).toBe('');
    const before = await management.countRows();
    await send().expect(201);
    expect(await management.countRows()).toEqual(before);
  });
});

it('gives a connection the group that was made before it', async () => {
  const project = await management.newProject();
  const path = `/v1/projects/${project.id}`;
  await management.as(project.key).post(`${path}/groups`).send({ groupRef: 'acme', groupName: 'Acme Ltd' }).expect(201);
  management.hubspot.outcomes.set('compat-token', { portalId: 1 });
  const body = { groupRef: 'acme', consumerRef: 'anna', provider: 'hubspot', apiKey: 'compat-token' };
  const reply = await management.as(project.key).post(`${path}/connections:generate`).send(body).expect(201);
  expect(reply.body).toMatchObject({ group: { groupRef: 'acme', groupName: 'Acme Ltd' } });
});
