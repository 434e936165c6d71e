import type { ConnectorRegistry } from '@sluice/connectors';
import { sampleConfig } from '@sluice/testkit';
import type { Installation } from '@sluice/types';
import { addConnection, prepareInstallation } from './prepare-installation';
import { startManagement, useManagement, type RunningManagement } from './start-management';

const management = useManagement();

const contactsPath = 'config.content.write.objects.contacts';
const deletable = { objectName: 'contacts', deletionSettings: { enabled: true } };
const withContacts = (contacts: object) => ({ config: { content: { write: { objects: { contacts } } } } });

/** Sends, and proves that nothing was written. */
async function refused(send: () => PromiseLike<{ type: string; body: unknown }>) {
  const before = await management.countRows();
  const reply = await send();
  expect(reply.type).toBe('application/problem+json');
  expect(await management.countRows()).toEqual(before);
  return reply.body as { code: string; remedy: string; issues: { name: string; detail: string }[] };
}

describe('200 PATCH installations/{id}', () => {
  it('changes the masked object, in a new config that says who, when and which revision', async () => {
    const { seed, patch, get } = await prepareInstallation(management);
    const before = await get();
    const reply = await patch([contactsPath], withContacts(deletable)).expect(200);
    const { updateTime } = reply.body as Installation;
    expect(reply.body).toEqual({
      ...before,
      updateTime,
      config: {
        id: expect.any(String),
        revisionId: seed.revisionId,
        createTime: updateTime,
        createdBy: expect.stringMatching(/^builder:[0-9a-f-]{36}$/),
        content: sampleConfig({ write: { objects: { contacts: deletable } } }),
      },
    });
    expect((reply.body as Installation).config.id).not.toBe(seed.configId);
    expect(await get()).toEqual(reply.body);
  });

  it('takes every path that can be masked, at once', async () => {
    const { seed, patch } = await prepareInstallation(management);
    const connectionId = await addConnection(management, seed.projectId, seed.groupRef, { consumerRef: 'ben' });
    const content = {
      provider: 'hubspot',
      read: { objects: { contacts: { objectName: 'contacts', disabled: true } } },
      write: { objects: { deals: { objectName: 'deals' } } },
      proxy: { enabled: true },
      subscribe: { objects: { contacts: { objectName: 'contacts' } } },
    };
    const mask = [
      'connectionId',
      'config.createdBy',
      'config.content.read.objects.contacts',
      'config.content.write.objects',
      'config.content.subscribe.objects',
      'config.content.proxy.enabled',
    ];
    const reply = await patch(mask, { connectionId, config: { content, createdBy: 'consumer:ben' } }).expect(200);
    expect(reply.body).toMatchObject({
      connection: { id: connectionId, consumer: { consumerRef: 'ben' } },
      createdBy: 'consumer:user-1',
      config: { createdBy: 'consumer:ben', content },
    });
    // The whole map was masked, so what it leaves out is gone.
    expect((reply.body as Installation).config.content.write).toEqual(content.write);
  });

  // Specification, Installation: updateTime is the time of the last new config. An empty mask is what a published
  // client sends when only proxy settings were shown.
  it('makes no config and moves no time when nothing changes', async () => {
    const { patch, get } = await prepareInstallation(management);
    const before = await get();
    const same = withContacts({ objectName: 'contacts' });
    const rows = await management.countRows();
    for (const mask of [[], [contactsPath]]) expect((await patch(mask, same).expect(200)).body).toEqual(before);
    expect(await management.countRows()).toEqual(rows);
  });

  // Mass assignment.
  it('[sec-31] ignores values that the mask does not name', async () => {
    const { patch, get } = await prepareInstallation(management);
    const before = await get();
    const content = { write: { objects: { contacts: deletable } }, proxy: { enabled: true } };
    const given = { connectionId: 'another', config: { content, createdBy: 'api:me' } };
    const reply = await patch(['config.content.proxy.enabled'], given).expect(200);
    expect(reply.body).toMatchObject({
      connection: { id: before.connection.id },
      config: { createdBy: expect.stringMatching(/^builder:/) },
    });
    expect((reply.body as Installation).config.content).toEqual(sampleConfig({ proxy: { enabled: true } }));
  });

  it('takes an object whose name holds a dot, and warns that the manifest does not declare it', async () => {
    const { patch } = await prepareInstallation(management);
    const given = { config: { content: { write: { objects: { 'a.b\u00e9': { objectName: 'a.b\u00e9' } } } } } };
    const reply = await patch(['config.content.write.objects.a.b\u00e9'], given).expect(200);
    expect((reply.body as Installation).config.content.write?.objects).toHaveProperty(['a.b\u00e9']);
    expect(reply.headers['sluice-warning']).toBe(
      'the manifest does not declare write.objects.a.b?: no effect until it does',
    );
    const declared = await patch([contactsPath], withContacts(deletable)).expect(200);
    expect(declared.headers['sluice-warning']).toContain('a.b?');
  });
});

describe('422 PATCH installations/{id}', () => {
  it('lists what does not fit what is stored: connection, provider, revision', async () => {
    const [mine, theirs] = [await prepareInstallation(management), await prepareInstallation(management)];
    const id = await addConnection(management, mine.seed.projectId, 'another-group', { provider: 'salesforce' });
    const config = { content: { provider: 'salesforce' }, revisionId: theirs.seed.revisionId };
    const send = () => mine.patch(['connectionId'], { connectionId: id, config }).expect(422);
    expect(await refused(send)).toMatchObject({
      code: 'installation.config-invalid',
      issues: [
        { name: 'installation.connectionId', detail: expect.stringContaining('group another-group') },
        { name: 'installation.connectionId', detail: expect.stringContaining('leads to salesforce') },
        { name: 'installation.config.content.provider', detail: expect.stringContaining('hubspot') },
        { name: 'installation.config.revisionId' },
      ],
    });
  });
});

describe('422 PATCH installations/{id} for size', () => {
  // One body is bounded; a thousand of them would make a config that every resolve has to read.
  it('refuses a config that has grown too large', async () => {
    const { patch, get } = await prepareInstallation(management);
    const grow = (objectName: string) => {
      const wordy = { objectName, selectedFieldSettings: { a: { default: { stringValue: 'x'.repeat(400_000) } } } };
      return patch([`config.content.write.objects.${objectName}`], {
        config: { content: { write: { objects: { [objectName]: wordy } } } },
      });
    };
    await grow('contacts').expect(200);
    await grow('deals').expect(200);
    const problem = await refused(() => grow('tickets').expect(422));
    expect(problem.issues).toMatchObject([
      { name: 'installation.config.content', detail: expect.stringMatching(/makes a config of 1200\d{3} characters/) },
    ]);
    expect(Object.keys((await get()).config.content.write?.objects ?? {})).toEqual(['contacts', 'deals']);
  });
});

describe('a provider whose records cannot be read before an update', () => {
  /** The service with the same connectors, but for this capability. */
  async function startWithoutIfEmpty(): Promise<RunningManagement> {
    return await startManagement((context) => {
      const { connectors } = context;
      const without = (provider: string) => {
        const connector = connectors.get(provider);
        return { ...connector, capabilities: { ...connector.capabilities, ifEmpty: false } };
      };
      const all = () => [{ ...connectors.get('hubspot'), provider: 'abler' }, without('hubspot')];
      const registry: ConnectorRegistry = { ...connectors, find: without, get: without, all };
      return { connectors: registry };
    });
  }

  // Specification, writeOnUpdate: ifEmpty is for provider X and provider Y only.
  it('422 for ifEmpty on create, update and patch, naming who has it; each setting at once [write-config.if-empty-providers]', async () => {
    const lacking = await startWithoutIfEmpty();
    try {
      const { seed, send, integrationPath, patch } = await prepareInstallation(lacking);
      const settings = { a: { writeOnUpdate: 'ifEmpty' }, 'b c': { writeOnUpdate: 'ifEmpty' }, d: {} };
      const contacts = { objectName: 'contacts', selectedFieldSettings: settings };
      const content = { provider: 'hubspot', write: { objects: { contacts } } };
      const create = { groupRef: seed.groupRef, config: { content } };
      const created = await send.post(`${integrationPath}/installations`).send(create).expect(422);
      const updated = await patch([contactsPath], { config: { content } }).expect(422);
      const change = { op: 'add', path: '/selectedFieldSettings', value: settings };
      const changed = await send
        .patch(`${integrationPath}/objects/contacts/config-content`)
        .send({ groupRef: seed.groupRef, action: 'write', changes: [change] })
        .expect(422);
      for (const [reply, path] of [
        [created, 'config.content'],
        [updated, 'installation.config.content'],
        [changed, 'config.content'],
      ] as const) {
        const at = `${path}.write.objects.contacts.selectedFieldSettings`;
        expect(reply.body).toMatchObject({
          code: 'installation.config-invalid',
          issues: [
            {
              name: `${at}.a.writeOnUpdate`,
              detail: expect.stringMatching(/not possible on hubspot.*possible on: abler$/),
              value: 'ifEmpty',
            },
            { name: `${at}["b c"].writeOnUpdate` },
          ],
        });
        expect((reply.body as { issues: object[] }).issues).toHaveLength(2);
      }
    } finally {
      await lacking.stop();
    }
  });
});
