import { sampleManifest } from '@sluice/testkit';
import { useManagement, type ProjectWithKey } from './start-management';

const management = useManagement();

const integrationsOf = (project: ProjectWithKey) => `/v1/projects/${project.id}/integrations`;
const creation = (name = 'crm') => ({
  name,
  provider: 'hubspot',
  latestRevision: { specVersion: '1.0.0', content: sampleManifest({ name }) },
});

const yaml = `
specVersion: 1.0.0
integrations:
  - name: crm
    displayName: The CRM
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          enabled: always
    write:
      objects:
        - objectName: contacts
          inheritMapping: true
`;

const deploy = (project: ProjectWithKey, sourceYaml: string) =>
  management
    .as(project.key)
    .put(`${integrationsOf(project)}:batch`)
    .send({ sourceYaml });

describe('201 POST integrations', () => {
  it('answers without a body, and Location leads to the integration', async () => {
    const project = await management.newProject();
    const reply = await management.as(project.key).post(integrationsOf(project)).send(creation()).expect(201);
    expect(reply.text).toBe('');
    const found = await management
      .as(project.key)
      .get(reply.headers['location'] ?? '')
      .expect(200);
    expect(found.body).toMatchObject({ projectId: project.id, name: 'crm', provider: 'hubspot' });
    expect(
      (
        await management
          .as(project.key)
          .get(`${integrationsOf(project)}/crm`)
          .expect(200)
      ).body,
    ).toEqual(found.body);
  });
});

describe('200 GET integrations', () => {
  it('lists with the latest revision; read objects have destination and schedule', async () => {
    const project = await management.newProject();
    await management.as(project.key).post(integrationsOf(project)).send(creation()).expect(201);
    const reply = await management.as(project.key).get(integrationsOf(project)).expect(200);
    expect(reply.body).toEqual([
      {
        id: expect.any(String),
        projectId: project.id,
        name: 'crm',
        provider: 'hubspot',
        createTime: expect.any(String),
        latestRevision: {
          id: expect.any(String),
          specVersion: '1.0.0',
          createTime: expect.any(String),
          createdBy: expect.stringMatching(/^builder:/),
          createdByLabel: 'test',
          content: {
            name: 'crm',
            provider: 'hubspot',
            read: { objects: [{ objectName: 'contacts', destination: '', schedule: '' }] },
            write: { objects: [{ objectName: 'contacts' }] },
          },
        },
      },
    ]);
  });
});

describe('200 PUT integrations:batch', () => {
  it('creates from YAML, keeps the revision of an equal manifest, revises a changed one', async () => {
    const project = await management.newProject();
    const first = (await deploy(project, yaml).expect(200)).body as { id: string; latestRevision: { id: string } }[];
    expect(first).toMatchObject([{ name: 'crm', latestRevision: { content: { displayName: 'The CRM' } } }]);
    expect((await deploy(project, yaml).expect(200)).body).toEqual(first);
    const changed = (await deploy(project, yaml.replace('The CRM', 'CRM')).expect(200)).body as typeof first;
    expect(changed[0]?.id).toBe(first[0]?.id);
    expect(changed[0]?.latestRevision.id).not.toBe(first[0]?.latestRevision.id);
  });

  // A write's lists end at 100 items. What is configured may be longer.
  it('takes a manifest of 300 objects', async () => {
    const project = await management.newProject();
    const objects = Array.from({ length: 300 }, (_, at) => ({ objectName: `object_${at}` }));
    const content = { name: 'long', provider: 'hubspot', read: { objects } };
    const created = { name: 'long', provider: 'hubspot', latestRevision: { specVersion: '1.0.0', content } };
    await management.as(project.key).post(`/v1/projects/${project.id}/integrations`).send(created).expect(201);
    const list = await management.as(project.key).get(`/v1/projects/${project.id}/integrations`).expect(200);
    expect(list.body).toMatchObject([{ latestRevision: { content: { read: { objects: { length: 300 } } } } }]);
  });

  it('takes JSON text, several integrations, and leaves out what it does not name', async () => {
    const project = await management.newProject();
    await deploy(project, yaml).expect(200);
    const integrations = [sampleManifest({ name: 'b' }), sampleManifest({ name: 'a' })];
    const reply = await deploy(project, JSON.stringify({ specVersion: '1.0.0', integrations })).expect(200);
    expect((reply.body as { name: string }[]).map(({ name }) => name).sort()).toEqual(['a', 'b']);
    expect((await management.as(project.key).get(integrationsOf(project))).body).toHaveLength(3);
  });
});

describe('409 POST integrations', () => {
  it('names the field of a name that is taken', async () => {
    const project = await management.newProject();
    await management.as(project.key).post(integrationsOf(project)).send(creation()).expect(201);
    const reply = await management.as(project.key).post(integrationsOf(project)).send(creation()).expect(409);
    expect(reply.body).toMatchObject({ code: 'integration.name-taken', detail: expect.stringContaining('name:') });
  });
});

describe('409 PUT integrations:batch', () => {
  it('does not move an integration to another provider', async () => {
    const project = await management.newProject();
    await management.context.store.integrations.create({
      projectId: project.id,
      name: 'crm',
      provider: 'salesforce',
      specVersion: '1.0.0',
      content: sampleManifest({ provider: 'salesforce' }),
    });
    expect((await deploy(project, yaml).expect(409)).body).toMatchObject({ code: 'integration.name-taken' });
  });
});
