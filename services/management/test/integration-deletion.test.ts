import { sampleManifest } from '@sluice/testkit';
import { prepareInstallation } from './prepare-installation';
import { startManagement, type RunningManagement } from './start-management';

let management: RunningManagement;
beforeAll(async () => {
  management = await startManagement();
});
afterAll(() => management.stop());

const manifestOf = (...names: string[]) => ({
  sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: names.map((name) => sampleManifest({ name })) }),
});

describe('204 DELETE integrations/{idOrName}', () => {
  it.each(['id', 'name'])('deletes by %s, with the installations, and frees the name', async (by) => {
    const { send, seed, path, integrationPath } = await prepareInstallation(management);
    const project = `/v1/projects/${seed.projectId}`;
    const named = by === 'id' ? integrationPath : `${project}/integrations/crm`;
    expect((await send.delete(named).expect(204)).text).toBe('');
    for (const gone of [named, path, `${integrationPath}/installations`]) await send.get(gone).expect(404);
    expect((await send.get(`${project}/installations`).expect(200)).body).toEqual([]);
    expect((await send.get(`${project}/integrations`).expect(200)).body).toEqual([]);
    await send.delete(named).expect(404);
    await send.put(`${project}/integrations:batch`).send(manifestOf('crm')).expect(200);
  });

  it('does not let anybody install it any more', async () => {
    const { send, seed, integrationPath } = await prepareInstallation(management);
    await send.delete(integrationPath).expect(204);
    await management.context.store.connections.create({
      projectId: seed.projectId,
      provider: 'hubspot',
      groupRef: 'late',
      consumerRef: 'anna',
      authScheme: 'apiKey',
      seal: () => ({ text: 'x', keyId: 'k1' }),
    });
    const [connection] = await management.context.store.connections.list(seed.projectId, { groupRef: 'late' });
    // What a request that had found the integration a moment before would do.
    const late = management.context.store.installations.create({
      projectId: seed.projectId,
      integrationId: seed.integrationId,
      groupRef: 'late',
      connectionId: connection?.id ?? '',
      createdBy: 'consumer:anna',
      config: { revisionId: seed.revisionId, content: { provider: 'hubspot' }, createdBy: 'builder:x' },
    });
    await expect(late).rejects.toMatchObject({ code: 'integration.not-found' });
  });

  it('leaves neither installation nor integration when it races with installing', async () => {
    const { send, seed, integrationPath } = await prepareInstallation(management);
    const { connections, installations } = management.context.store;
    const groups = Array.from({ length: 8 }, (_, index) => `racer-${index}`);
    for (const groupRef of groups) {
      await connections.create({
        projectId: seed.projectId,
        provider: 'hubspot',
        groupRef,
        consumerRef: 'anna',
        authScheme: 'apiKey',
        seal: () => ({ text: 'x', keyId: 'k1' }),
      });
    }
    const install = (groupRef: string) =>
      send.post(`${integrationPath}/installations`).send({ groupRef, config: { content: { provider: 'hubspot' } } });
    const [deleted, ...installed] = await Promise.all([send.delete(integrationPath), ...groups.map(install)]);
    expect(deleted.status).toBe(204);
    for (const { status } of installed) expect([201, 404]).toContain(status);
    expect(await installations.list(seed.projectId)).toEqual([]);
  });
});

describe('problems of DELETE integrations/{idOrName}', () => {
  it("404 for another project's, 403 for a key that may only read", async () => {
    const [mine, theirs] = [await prepareInstallation(management), await prepareInstallation(management)];
    const foreign = `/v1/projects/${mine.seed.projectId}/integrations/${theirs.seed.integrationId}`;
    expect((await mine.send.delete(foreign).expect(404)).body).toMatchObject({ code: 'integration.not-found' });
    const reader = management.as(await management.newKey(theirs.seed.projectId, ['read']));
    await reader.delete(theirs.integrationPath).expect(403);
    await theirs.send.get(theirs.path).expect(200);
  });
});

describe('PUT integrations:batch?destructive=true', () => {
  it('deletes what the manifest leaves out, with its installations; without it nothing', async () => {
    const { send, seed, path } = await prepareInstallation(management);
    const integrations = `/v1/projects/${seed.projectId}/integrations`;
    const names = async () =>
      ((await send.get(integrations).expect(200)).body as { name: string }[]).map(({ name }) => name).sort();
    await send.put(`${integrations}:batch`).send(manifestOf('other')).expect(200);
    expect(await names()).toEqual(['crm', 'other']);
    const reply = await send
      .put(`${integrations}:batch?destructive=true`)
      .send(manifestOf('other', 'third'))
      .expect(200);
    expect((reply.body as object[]).length).toBe(2);
    expect(await names()).toEqual(['other', 'third']);
    await send.get(path).expect(404);
    expect(await management.context.store.installations.list(seed.projectId)).toEqual([]);
  });

  it('deletes nothing when the manifest is refused', async () => {
    const { send, seed, path } = await prepareInstallation(management);
    const batch = `/v1/projects/${seed.projectId}/integrations:batch?destructive=true`;
    await send.put(batch).send({ sourceYaml: 'specVersion: 1.0.0' }).expect(400);
    await send
      .put(batch)
      .send({ sourceYaml: '{specVersion: 1.0.0, integrations: [{name: a, provider: x}]}' })
      .expect(422);
    await send.get(path).expect(200);
  });
});

describe('POST revisions', () => {
  it('201 without a body; the new content rules, an equal one makes no revision', async () => {
    const { send, integrationPath } = await prepareInstallation(management);
    const revision = async () =>
      (
        (await send.get(integrationPath).expect(200)).body as {
          latestRevision: { id: string; content: { displayName?: string } };
        }
      ).latestRevision;
    const post = (displayName: string) =>
      send.post(`${integrationPath}/revisions`).send({
        sourceYaml: JSON.stringify({
          specVersion: '1.0.0',
          integrations: [sampleManifest({ name: 'another' }), sampleManifest({ displayName })],
        }),
      });
    expect((await post('First').expect(201)).text).toBe('');
    const first = await revision();
    expect(first.content.displayName).toBe('First');
    await post('First').expect(201);
    expect((await revision()).id).toBe(first.id);
    await post('Second').expect(201);
    expect((await revision()).id).not.toBe(first.id);
  });

  it('400 for a manifest without the integration, a zip, and a broken text; 409 for another provider', async () => {
    const { send, integrationPath } = await prepareInstallation(management);
    const cases: [object, number, string, string][] = [
      [manifestOf('another'), 400, 'request.invalid', 'no integration called crm; it has: another'],
      [{ sourceZipUrl: 'https://example.com/a.zip' }, 400, 'request.invalid', 'must start with gs://sluice-uploads/'],
      [{ sourceYaml: 'a: [' }, 400, 'request.invalid', 'line 1'],
      [{}, 400, 'request.invalid', 'exactly one of sourceYaml or sourceZipUrl'],
      [
        {
          sourceYaml: JSON.stringify({
            specVersion: '1.0.0',
            integrations: [sampleManifest({ provider: 'salesforce' })],
          }),
        },
        409,
        'integration.name-taken',
        'cannot change',
      ],
    ];
    for (const [body, status, code, detail] of cases) {
      const reply = await send.post(`${integrationPath}/revisions`).send(body).expect(status);
      expect(reply.body).toMatchObject({ code, detail: expect.stringContaining(detail) });
    }
  });
});
