import { sampleManifest } from '@sluice/testkit';
import { prepareAccount, seedElsewhere } from './account';
import { addConnection } from './prepare-installation';
import { useManagement } from './start-management';

const management = useManagement();

const manifest = sampleManifest({
  read: {
    objects: [
      {
        objectName: 'contacts',
        mapToName: 'person',
        requiredFields: [{ fieldName: 'email', mapToName: 'mail' }, { fieldName: 'gone' }],
        optionalFields: [{ mapToName: 'nick', prompt: 'Which one?' }],
      },
      { objectName: 'butterflies' },
    ],
  },
  write: { objects: [{ objectName: 'deals', valueDefaults: { allowAnyFields: true } }] },
  subscribe: { objects: [{ objectName: 'contacts', destination: 'hook' }] },
});

const metadataPath = (path: string, objectName: string, query = 'groupRef=group-1') =>
  `${path}/objects/${objectName}/metadata?${query}`;

describe('200 GET I/objects/{objectName}/metadata', () => {
  it.each(['contacts', 'person'])('answers for the name %s', async (name) => {
    const { send, integrationPath } = await prepareAccount(management, { manifest });
    const reply = await send.get(metadataPath(integrationPath, name)).expect(200);
    expect(reply.body).toMatchObject({
      name: 'contacts',
      mappedObjectName: 'person',
      fields: {
        email: { fieldName: 'email', displayName: 'EMAIL', valueType: 'string', readOnly: false, isCustom: false },
        favorite_color: { isCustom: true },
        createdate: { valueType: 'datetime', readOnly: true },
      },
    });
    expect(reply.text).not.toContain('null');
  });

  it('leaves out what cannot be written, when asked', async () => {
    const { send, integrationPath } = await prepareAccount(management, { manifest });
    const path = metadataPath(integrationPath, 'contacts', 'groupRef=group-1&excludeReadOnly=true');
    const { fields } = (await send.get(path).expect(200)).body as { fields: object };
    expect(Object.keys(fields)).toEqual(['email', 'jobtitle', 'favorite_color']);
  });

  it('notes that the connection works', async () => {
    const { send, seed, integrationPath } = await prepareAccount(management, { manifest });
    await send.get(metadataPath(integrationPath, 'contacts')).expect(200);
    const connection = await management.context.store.connections.find(seed.projectId, seed.connectionId);
    expect(connection?.status).toBe('working');
  });
});

describe('200 GET P/providers/{provider}/objects/{objectName}/metadata', () => {
  it('answers for an object that no manifest has', async () => {
    const { send, seed } = await prepareAccount(management);
    const path = metadataPath(`/v1/projects/${seed.projectId}/providers/hubspot`, 'deals');
    const reply = await send.get(path).expect(200);
    expect(reply.body).toMatchObject({ name: 'deals', fields: { dealname: { displayName: 'DEALNAME' } } });
    expect(reply.body).not.toHaveProperty('mappedObjectName');
  });
});

describe('problems of metadata', () => {
  it('404 for an object that the account does not have, in the words of the provider', async () => {
    const { send, integrationPath } = await prepareAccount(management);
    const reply = await send.get(metadataPath(integrationPath, 'butterflies')).expect(404);
    expect(reply.body).toMatchObject({ code: 'object.not-found', detail: expect.stringContaining('butterflies') });
  });

  it.each(['..%2F..%2Faccount-info', '%3Cscript%3E', encodeURIComponent('a'.repeat(2_000)), '__proto__'])(
    '404, and nothing else is asked, for the name %s',
    async (name) => {
      const { send, integrationPath } = await prepareAccount(management);
      const reply = await send.get(metadataPath(integrationPath, name)).expect(404);
      expect(reply.body).toMatchObject({ code: 'object.not-found' });
    },
  );

  it('404 for a group without a connection, an unknown integration and an unknown provider', async () => {
    const { send, seed, integrationPath } = await prepareAccount(management);
    const project = `/v1/projects/${seed.projectId}`;
    const codes: [string, string][] = [
      [metadataPath(`${project}/providers/hubspot`, 'contacts', 'groupRef=nobody'), 'connection.not-found'],
      [metadataPath(integrationPath, 'contacts', 'groupRef=nobody'), 'connection.not-found'],
      [metadataPath(`${project}/integrations/nothing`, 'contacts'), 'integration.not-found'],
      [metadataPath(`${project}/providers/hubspit`, 'contacts'), 'provider.not-in-catalogue'],
    ];
    for (const [path, code] of codes) expect((await send.get(path).expect(404)).body).toMatchObject({ code });
  });
});

describe('200 GET I/revisions/{revisionId}:hydrate', () => {
  it("gives the manifest the account's own names and fields, and an error where an object is missing", async () => {
    const { send, seed, integrationPath } = await prepareAccount(management, { manifest });
    const path = `${integrationPath}/revisions/${seed.revisionId}:hydrate?connectionId=${seed.connectionId}`;
    const reply = await send.get(path).expect(200);
    const { content } = reply.body as { content: { read: { objects: object[] } } };
    expect(reply.body).toMatchObject({ id: seed.revisionId, specVersion: '1.0.0', createTime: expect.any(String) });
    expect(content).not.toHaveProperty('subscribe');
    expect(content).toMatchObject({
      name: 'crm',
      provider: 'hubspot',
      read: {
        objects: [
          {
            objectName: 'contacts',
            displayName: 'contacts',
            destination: '',
            schedule: '',
            mapToName: 'person',
            requiredFields: [
              { fieldName: 'email', displayName: 'EMAIL', mapToName: 'mail' },
              { fieldName: 'gone', displayName: 'gone' },
            ],
            optionalFields: [{ mapToName: 'nick', prompt: 'Which one?' }],
            allFieldsMetadata: { jobtitle: { displayName: 'JOBTITLE' } },
            // What the published form fills its mapping dropdowns from.
            allFields: expect.arrayContaining([{ fieldName: 'jobtitle', displayName: 'JOBTITLE' }]),
          },
          { objectName: 'butterflies', displayName: 'butterflies', error: expect.stringContaining('butterflies') },
        ],
      },
      write: { objects: [{ objectName: 'deals', displayName: 'deals', valueDefaults: { allowAnyFields: true } }] },
    });
    const [contacts, butterflies] = content.read.objects as {
      allFields?: { fieldName: string }[];
      allFieldsMetadata?: object;
    }[];
    expect(contacts?.allFields?.map(({ fieldName }) => fieldName)).toEqual(
      Object.keys(contacts?.allFieldsMetadata ?? {}),
    );
    expect(butterflies).not.toHaveProperty('allFieldsMetadata');
    expect(butterflies).not.toHaveProperty('allFields');
    expect(reply.text).not.toContain('null');
  });

  // Published clients read the objects of a `read` that is there.
  it('gives an empty list for a read without objects', async () => {
    const { send, seed, integrationPath } = await prepareAccount(management, {
      manifest: sampleManifest({ read: {}, write: {} }),
    });
    const path = `${integrationPath}/revisions/${seed.revisionId}:hydrate?connectionId=${seed.connectionId}`;
    expect((await send.get(path).expect(200)).body).toMatchObject({
      content: { read: { objects: [] }, write: { objects: [] } },
    });
  });
});

describe('problems of a hydration', () => {
  it('404 for what belongs elsewhere, 422 for another provider, 400 without a connection', async () => {
    const mine = await prepareAccount(management);
    const theirs = await seedElsewhere(management);
    const salesforce = await addConnection(management, mine.seed.projectId, 'group-1', { provider: 'salesforce' });
    const { revisionId, connectionId } = mine.seed;
    const cases: [string, string, number, string][] = [
      [revisionId, `?connectionId=${theirs.connectionId}`, 404, 'connection.not-found'],
      [theirs.revisionId, `?connectionId=${connectionId}`, 404, 'revision.not-found'],
      ['nothing', `?connectionId=${connectionId}`, 404, 'revision.not-found'],
      [revisionId, `?connectionId=${salesforce}`, 422, 'connection.scheme-mismatch'],
      [revisionId, '', 400, 'request.invalid'],
    ];
    for (const [id, query, status, code] of cases) {
      const path = `${mine.integrationPath}/revisions/${id}:hydrate${query}`;
      expect((await mine.send.get(path).expect(status)).body).toMatchObject({ code });
    }
  });

  it('502 as a whole when the provider is down', async () => {
    const { send, seed, token, integrationPath } = await prepareAccount(management);
    management.hubspot.outcomes.set(token, { status: 503, message: 'down' });
    const path = `${integrationPath}/revisions/${seed.revisionId}:hydrate?connectionId=${seed.connectionId}`;
    expect((await send.get(path).expect(502)).body).toMatchObject({ code: 'provider.unavailable' });
  });
});
