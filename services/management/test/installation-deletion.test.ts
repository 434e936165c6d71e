import { startManagement, type RunningManagement } from './start-management';
import { prepareInstallation, type PreparedInstallation } from './prepare-installation';

let management: RunningManagement;
let prepared: PreparedInstallation;
beforeAll(async () => {
  management = await startManagement();
});
beforeEach(async () => {
  prepared = await prepareInstallation(management);
});
afterAll(() => management.stop());

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
    const { id: connectionId } = await management.context.store.connections.create({
      projectId: seed.projectId,
      provider: 'hubspot',
      groupRef: seed.groupRef,
      consumerRef: 'anna',
      authScheme: 'apiKey',
      seal: () => ({ text: 'sealed', keyId: 'k1' }),
    });
    const body = { groupRef: seed.groupRef, connectionId, config: { content: { provider: 'hubspot' } } };
    await send.post(`${integrationPath}/installations`).send(body).expect(201);
  });
});

describe('404 DELETE installation', () => {
  it('answers a second time, another integration and another project alike', async () => {
    const { send, path, seed } = prepared;
    const other = await prepareInstallation(management);
    const bodyOf = async (sent: ReturnType<typeof send.delete>) => {
      const { code, detail } = (await sent.expect(404)).body as { code: string; detail: string };
      return { code, detail };
    };
    const foreign = await bodyOf(send.delete(`${prepared.integrationPath}/installations/${other.seed.installationId}`));
    expect(foreign.code).toBe('installation.not-found');
    expect(await bodyOf(send.delete(`${prepared.integrationPath}/installations/unknown`))).toEqual(foreign);
    await send
      .delete(`/v1/projects/${seed.projectId}/integrations/${other.seed.integrationId}/installations/x`)
      .expect(404);
    await send.delete(path).expect(204);
    expect(await bodyOf(send.delete(path))).toEqual(foreign);
    await other.send.get(other.path).expect(200);
  });
});
