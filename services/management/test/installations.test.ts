import { sampleConfig, sampleManifest, seedInstallation } from '@sluice/testkit';
import { addConnection } from './prepare-installation';
import { useManagement, type ProjectWithKey } from './start-management';

const management = useManagement();

/** A project with an integration, and a connection of the group `acme`; nothing installed yet. */
interface Prepared {
  readonly project: ProjectWithKey;
  readonly integrationId: string;
  readonly revisionId: string;
  readonly connectionId: string;
  readonly path: string;
}

const connect = (project: ProjectWithKey, groupRef: string, provider = 'hubspot') =>
  addConnection(management, project.id, groupRef, { provider });

async function prepare(scopes?: readonly string[]): Promise<Prepared> {
  const project = await management.newProject(scopes);
  const integration = await management.context.store.integrations.create({
    projectId: project.id,
    name: 'crm',
    provider: 'hubspot',
    specVersion: '1.0.0',
    content: sampleManifest(),
  });
  const path = `/v1/projects/${project.id}/integrations/${integration.id}/installations`;
  const revisionId = integration.latestRevision.id;
  return { project, integrationId: integration.id, revisionId, connectionId: await connect(project, 'acme'), path };
}

const install = ({ project, path }: Prepared, body: object) => management.as(project.key).post(path).send(body);

describe('201 POST installations', () => {
  it('returns the installation with everything the specification requires', async () => {
    const prepared = await prepare();
    const content = sampleConfig();
    const reply = await install(prepared, {
      groupRef: 'acme',
      connectionId: prepared.connectionId,
      config: { content },
    }).expect(201);
    expect(reply.body).toEqual({
      id: expect.any(String),
      projectId: prepared.project.id,
      integrationId: prepared.integrationId,
      group: expect.objectContaining({ groupRef: 'acme' }),
      healthStatus: 'healthy',
      connection: expect.objectContaining({ id: prepared.connectionId, status: 'created' }),
      createTime: expect.any(String),
      createdBy: 'consumer:anna',
      config: {
        id: expect.any(String),
        revisionId: prepared.revisionId,
        createTime: expect.any(String),
        createdBy: expect.stringMatching(/^builder:[0-9a-f-]{36}$/),
        content,
      },
    });
    expect(reply.text).not.toContain('null');
    expect(reply.text).not.toContain('sealed');
  });

  it("takes the group's newest connection to the provider when none is named", async () => {
    const prepared = await prepare();
    await connect(prepared.project, 'acme', 'salesforce');
    await connect(prepared.project, 'beta');
    const newest = await connect(prepared.project, 'acme');
    await connect(prepared.project, 'acme', 'salesforce');
    const reply = await install(prepared, { groupRef: 'acme', config: { content: sampleConfig() } }).expect(201);
    expect(reply.body).toMatchObject({ connection: { id: newest } });
  });

  it('takes the members of published clients', async () => {
    const prepared = await prepare();
    const config = { content: sampleConfig(), revisionId: prepared.revisionId, createdBy: 'api:create-installation' };
    const sent = management.as(prepared.project.key).post(`${prepared.path}?skipSampling=true`);
    const reply = await sent.send({ groupRef: 'acme', config }).expect(201);
    expect(reply.body).toMatchObject({ config: { createdBy: 'api:create-installation' } });
  });

  // The manifest may gain the object; until then nothing else shows a misspelt name.
  it('keeps an object that the manifest does not declare, and says that it has no effect', async () => {
    const prepared = await prepare();
    const content = sampleConfig({ write: { objects: { contact: { objectName: 'contact' } } } });
    const reply = await install(prepared, { groupRef: 'acme', config: { content } }).expect(201);
    expect(reply.body).toMatchObject({ config: { content } });
    expect(reply.headers['sluice-warning']).toContain('does not declare write.objects.contact: no effect');
  });
});

describe('200 GET installations', () => {
  it('lists per integration and per project, by group', async () => {
    const { store } = management.context;
    const project = await management.newProject(['read']);
    const crm = await seedInstallation(store, { projectId: project.id, groupRef: 'acme' });
    const other = await seedInstallation(store, {
      projectId: project.id,
      groupRef: 'beta',
      manifest: sampleManifest({ name: 'b' }),
    });
    const ids = async (path: string) => {
      const reply = await management.as(project.key).get(`/v1/projects/${project.name}${path}`).expect(200);
      return (reply.body as { id: string }[]).map(({ id }) => id);
    };
    expect(await ids('/installations')).toEqual([crm.installationId, other.installationId]);
    expect(await ids('/installations?groupRef=beta')).toEqual([other.installationId]);
    expect(await ids(`/integrations/${crm.integrationId}/installations`)).toEqual([crm.installationId]);
    expect(await ids(`/integrations/${crm.integrationId}/installations?groupRef=acme`)).toEqual([crm.installationId]);
    expect(await ids(`/integrations/${crm.integrationId}/installations?groupRef=beta`)).toEqual([]);
    expect(await ids('/integrations/crm/installations')).toEqual([crm.installationId]);
  });
});

describe('409 POST installations', () => {
  it('names the group that has the integration installed', async () => {
    const prepared = await prepare();
    const body = { groupRef: 'acme', config: { content: sampleConfig() } };
    await install(prepared, body).expect(201);
    const before = await management.countRows();
    const reply = await install(prepared, body).expect(409);
    expect(reply.body).toMatchObject({ code: 'installation.exists', detail: expect.stringContaining('groupRef') });
    expect(await management.countRows()).toEqual(before);
  });
});

describe('404 POST installations', () => {
  it.each([
    ['an unknown group', { groupRef: 'nobody' }, 'groupRef'],
    ['an unknown connection', { groupRef: 'acme', connectionId: 'nothing' }, 'connectionId'],
  ])('names the field of %s', async (_case, members, field) => {
    const prepared = await prepare();
    const before = await management.countRows();
    const reply = await install(prepared, { ...members, config: { content: sampleConfig() } }).expect(404);
    expect(reply.body).toMatchObject({
      code: 'connection.not-found',
      detail: expect.stringContaining(`${field}:`),
      remedy: expect.stringContaining('connections:generate'),
    });
    expect(await management.countRows()).toEqual(before);
  });
});

describe('422 POST installations, all at once', () => {
  it('lists every contradiction of one request', async () => {
    const [mine, theirs] = [await prepare(), await prepare()];
    const connectionId = await connect(mine.project, 'beta', 'salesforce');
    const config = { content: { provider: 'pipedrive' }, revisionId: theirs.revisionId };
    const reply = await install(mine, { groupRef: 'acme', connectionId, config }).expect(422);
    const { issues, detail } = reply.body as { issues: { name: string }[]; detail: string };
    expect(issues.map(({ name }) => name)).toEqual([
      'connectionId',
      'connectionId',
      'config.content.provider',
      'config.revisionId',
    ]);
    expect(detail).toContain('(and 3 more)');
  });
});
