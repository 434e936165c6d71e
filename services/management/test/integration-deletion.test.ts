import { sampleManifest } from '@sluice/testkit';
import { addConnection, prepareInstallation } from './prepare-installation';
import { useManagement } from './start-management';

const management = useManagement();

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
    const connectionId = await addConnection(management, seed.projectId, 'late');
    // What a request that had found the integration a moment before would do.
    const late = management.context.store.installations.create({
      projectId: seed.projectId,
      integrationId: seed.integrationId,
      groupRef: 'late',
      connectionId,
      createdBy: 'consumer:anna',
      config: { revisionId: seed.revisionId, content: { provider: 'hubspot' }, createdBy: 'builder:x' },
    });
    await expect(late).rejects.toMatchObject({ code: 'integration.not-found' });
  });

  it('leaves neither installation nor integration when it races with installing', async () => {
    const { send, seed, integrationPath } = await prepareInstallation(management);
    const { installations } = management.context.store;
    const groups = Array.from({ length: 8 }, (_, index) => `racer-${index}`);
    for (const groupRef of groups) await addConnection(management, seed.projectId, groupRef);
    const install = (groupRef: string) =>
      send.post(`${integrationPath}/installations`).send({ groupRef, config: { content: { provider: 'hubspot' } } });
    const [deleted, ...installed] = await Promise.all([send.delete(integrationPath), ...groups.map(install)]);
    expect(deleted.status).toBe(204);
    for (const { status } of installed) expect([201, 404]).toContain(status);
    expect(await installations.list(seed.projectId)).toEqual([]);
  });
});

// What the published command line sends for "Stop reading these objects across all installations".
describe('destructive=true', () => {
  const readContacts = sampleManifest({ read: { objects: [{ objectName: 'contacts' }] } });
  const yamlOf = (...integrations: object[]) => ({
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }),
  });
  /** Reads contacts and deals; its manifest does too. */
  const prepareReader = async () => {
    const prepared = await prepareInstallation(management);
    const objects = { contacts: { objectName: 'contacts' }, deals: { objectName: 'deals' } };
    const mask = ['config.content.read.objects.contacts', 'config.content.read.objects.deals'];
    await prepared.patch(mask, { config: { content: { read: { objects } } } }).expect(200);
    const project = `/v1/projects/${prepared.seed.projectId}`;
    const switches = async () => {
      const { read } = (await prepared.get()).config.content;
      return Object.entries(read?.objects ?? {}).map(([name, { disabled = false }]) => [name, disabled]);
    };
    return { ...prepared, project, switches };
  };

  it.each(['?destructive=true', ''])(
    'deletes nothing that the manifest leaves out: integrations:batch%s',
    async (query) => {
      const { send, project, path, switches } = await prepareReader();
      const reply = await send.put(`${project}/integrations:batch${query}`).send(manifestOf('other')).expect(200);
      expect(reply.body as { name: string }[]).toMatchObject([{ name: 'other' }]);
      const all = (await send.get(`${project}/integrations`).expect(200)).body as { name: string }[];
      expect(all.map(({ name }) => name)).toEqual(['crm', 'other']);
      const { body } = await send.get(path).expect(200);
      await send.get(`${project}/connections/${(body as { connection: { id: string } }).connection.id}`).expect(200);
      expect(await switches()).toEqual([
        ['contacts', false],
        ['deals', false],
      ]);
    },
  );

  it.each([
    ['integrations:batch', 200],
    ['revisions', 201],
  ] as const)('pauses what the manifest does not read any more, and nothing else: %s', async (by, status) => {
    const { send, project, integrationPath, switches, get } = await prepareReader();
    const before = await get();
    const deploy = (query: string, content: object) =>
      by === 'revisions'
        ? send.post(`${integrationPath}/revisions${query}`).send(yamlOf(content))
        : send.put(`${project}/integrations:batch${query}`).send(yamlOf(content));
    await deploy('?destructive=true', readContacts).expect(status);
    const paused = [
      ['contacts', false],
      ['deals', true],
    ];
    expect(await switches()).toEqual(paused);
    const after = await get();
    expect(after.config.createdBy).toMatch(/^builder:/);
    expect(after.config.id).not.toBe(before.config.id);
    expect(after.config.content.write).toEqual(before.config.content.write);
    // The same once more finds nothing to pause.
    await deploy('?destructive=true', readContacts).expect(status);
    expect((await get()).config.id).toBe(after.config.id);
  });

  it('goes on reading without it, and where the manifest is refused', async () => {
    const { send, project, switches } = await prepareReader();
    const batch = `${project}/integrations:batch`;
    const unread = { ...readContacts, provider: 'salesforce' };
    await send.put(`${batch}?destructive=true`).send({ sourceYaml: 'specVersion: 1.0.0' }).expect(400);
    await send.put(`${batch}?destructive=true`).send(yamlOf(readContacts, unread)).expect(400);
    await send.put(`${batch}?destructive=true`).send(yamlOf(unread)).expect(409);
    await send.put(batch).send(yamlOf(readContacts)).expect(200);
    expect(await switches()).toEqual([
      ['contacts', false],
      ['deals', false],
    ]);
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
