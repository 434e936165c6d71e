import { useManagement } from './start-management';
import { addConnection, prepareInstallation, type PreparedInstallation } from './prepare-installation';

const management = useManagement();
let prepared: PreparedInstallation;
beforeEach(async () => {
  prepared = await prepareInstallation(management);
});

describe('204 DELETE installation', () => {
  it('deletes it with its unused connection, and answers without a body', async () => {
    const { send, path, seed } = prepared;
    const reply = await send.delete(path).expect(204);
    expect(reply.text).toBe('');
    await send.get(path).expect(404);
    await send.get(`/v1/projects/${seed.projectId}/connections/${seed.connectionId}`).expect(404);
    expect((await send.get(`/v1/projects/${seed.projectId}/installations`)).body).toEqual([]);
  });

  it('lets the group install again, with another connection', async () => {
    const { send, path, seed, integrationPath } = prepared;
    await send.delete(path).expect(204);
    const connectionId = await addConnection(management, seed.projectId, seed.groupRef);
    const body = { groupRef: seed.groupRef, connectionId, config: { content: { provider: 'hubspot' } } };
    await send.post(`${integrationPath}/installations`).send(body).expect(201);
  });
});
