import { sampleConfig, sampleManifest, seedInstallation } from '@sluice/testkit';
import { startManagement, type ProjectWithKey, type RunningManagement } from './start-management';

let management: RunningManagement;
beforeAll(async () => {
  management = await startManagement();
});
afterAll(() => management.stop());

/** A project with an integration, and a connection of the group `acme`; nothing installed yet. */
interface Prepared {
  readonly project: ProjectWithKey;
  readonly integrationId: string;
  readonly revisionId: string;
  readonly connectionId: string;
  readonly path: string;
}

const connect = async (project: ProjectWithKey, groupRef: string, provider = 'hubspot') =>
  (
    await management.context.store.connections.create({
      projectId: project.id,
      provider,
      groupRef,
      consumerRef: 'anna',
      authScheme: 'apiKey',
      seal: () => ({ text: 'sealed', keyId: 'k1' }),
    })
  ).id;

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

  it('stores and returns settings whose rules come later', async () => {
    const prepared = await prepare();
    const content = {
      provider: 'hubspot',
      read: {
        objects: {
          contacts: {
            objectName: 'contacts',
            schedule: '*/10 * * * *',
            destination: 'hook',
            selectedFields: { phone: true },
            selectedFieldMappings: { mail: 'email' },
            selectedValueMappings: { lifecycle: { won: 'customer' } },
            backfill: { defaultPeriod: { fullHistory: true } },
            fieldFilters: [{ fieldName: 'city', operator: 'eq', value: 'Bern' }],
          },
        },
      },
      write: {
        objects: {
          contacts: {
            objectName: 'contacts',
            inheritMapping: true,
            deletionSettings: { enabled: true },
            selectedFieldSettings: { source: { default: { stringValue: 'app' }, writeOnUpdate: 'ifEmpty' } },
          },
        },
      },
      proxy: { enabled: false },
    };
    const sent = management.as(prepared.project.key).post(`${prepared.path}?skipSampling=true`);
    const created = await sent.send({ groupRef: 'acme', config: { content } }).expect(201);
    const { id } = created.body as { id: string };
    const found = await management.as(prepared.project.key).get(`${prepared.path}/${id}`).expect(200);
    expect(found.body).toEqual(created.body);
    expect(found.body).toMatchObject({ config: { content } });
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

  it('does not take a connection of another project', async () => {
    const [mine, theirs] = [await prepare(), await prepare()];
    const body = { groupRef: 'acme', connectionId: theirs.connectionId, config: { content: sampleConfig() } };
    expect((await install(mine, body).expect(404)).body).toMatchObject({ code: 'connection.not-found' });
  });
});

describe('422 POST installations', () => {
  const refused = async (prepared: Prepared, body: object) => {
    const before = await management.countRows();
    const reply = await install(prepared, body).expect(422);
    expect(reply.type).toBe('application/problem+json');
    expect(await management.countRows()).toEqual(before);
    return (reply.body as { issues: { name: string; detail: string }[] }).issues[0];
  };

  it('names a connection of another group', async () => {
    const prepared = await prepare();
    const connectionId = await connect(prepared.project, 'beta');
    const issue = await refused(prepared, { groupRef: 'acme', connectionId, config: { content: sampleConfig() } });
    expect(issue).toMatchObject({ name: 'connectionId', detail: expect.stringContaining('beta') });
  });

  it('names a connection to another provider', async () => {
    const prepared = await prepare();
    const connectionId = await connect(prepared.project, 'acme', 'salesforce');
    const issue = await refused(prepared, { groupRef: 'acme', connectionId, config: { content: sampleConfig() } });
    expect(issue).toMatchObject({ name: 'connectionId', detail: expect.stringContaining('salesforce') });
  });

  it('names a content for another provider', async () => {
    const content = sampleConfig({ provider: 'salesforce' });
    const issue = await refused(await prepare(), { groupRef: 'acme', config: { content } });
    expect(issue).toMatchObject({ name: 'config.content.provider', detail: expect.stringContaining('hubspot') });
  });

  it('names a revision that is not of this integration', async () => {
    const [mine, theirs] = [await prepare(), await prepare()];
    const config = { content: sampleConfig(), revisionId: theirs.revisionId };
    const issue = await refused(mine, { groupRef: 'acme', config });
    expect(issue).toMatchObject({ name: 'config.revisionId' });
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

describe('400 POST installations', () => {
  it.each([
    ['consumer:', 'config.createdBy'],
    ['anna', 'config.createdBy'],
    ['user:anna', 'config.createdBy'],
  ])('names the createdBy %s', async (createdBy, name) => {
    const prepared = await prepare();
    const body = { groupRef: 'acme', config: { content: sampleConfig(), createdBy } };
    expect((await install(prepared, body).expect(400)).body).toMatchObject({ issues: [{ name }] });
  });

  it('lists all problems of a content, each with its path and the nearest name', async () => {
    const prepared = await prepare();
    const contacts = {
      objectName: 'contacts',
      inheritMappings: true,
      selectedFieldSettings: { a: { default: { stringValue: '1', integerValue: 1 } }, b: { default: {} } },
    };
    const read = { contacts: { objectName: 'contacts', selectedFieldsAuto: 'some' } };
    const content = { provider: 'hubspot', write: { objects: { contacts } }, read: { objects: read } };
    const reply = await install(prepared, { groupRef: 'acme', config: { content } }).expect(400);
    const at = 'config.content.write.objects.contacts';
    const { issues } = reply.body as { issues: { name: string; detail: string }[] };
    expect(issues.map(({ name, detail }) => [name, detail])).toEqual(
      expect.arrayContaining([
        [`${at}.inheritMappings`, 'is not a known field; did you mean inheritMapping?'],
        [
          `${at}.selectedFieldSettings.a.default`,
          'takes exactly one of stringValue, integerValue or booleanValue; it has stringValue and integerValue',
        ],
        [`${at}.selectedFieldSettings.b.default`, 'takes exactly one of stringValue, integerValue or booleanValue'],
        ['config.content.read.objects.contacts.selectedFieldsAuto', 'must be one of "all"'],
      ]),
    );
    expect(issues).toHaveLength(4);
  });
});
