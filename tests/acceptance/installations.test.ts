import type { Connection, Installation, Integration } from '@sluice/types';
import { createAccount } from '../harness/account';
import { ask, call } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { crms, person } from './crms';

const stack = sharedStack();

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const text = expect.stringMatching(/./);

describe.each(crms)('%s: an installation', (provider, crm) => {
  const { object, title } = crm;
  let customer: Customer;
  beforeEach(async () => {
    const config = { write: { objects: { [object]: { objectName: object } } } };
    customer = await createCustomer(stack, { provider, read: [object], write: [object], config });
  });
  const urlOf = ({ project, integrationId, installationId }: Customer) =>
    `${project.url}/integrations/${integrationId}/installations/${installationId}`;
  const patch = (body: object, to = urlOf(customer)) =>
    ask<Installation>(to, { method: 'PATCH', key: customer.project.key, body });
  const patchObject = (changes: object[], more: object = {}) => {
    const { project, integrationId, groupRef } = customer;
    const url = `${project.url}/integrations/${integrationId}/objects/${object}/config-content`;
    return patch({ groupRef, action: 'write', changes, ...more }, url);
  };

  it('binds an integration, a group, a connection and a config [service.rule-1] [installation.required] [installation.group]', async () => {
    expect(await customer.installation()).toMatchObject({
      id: customer.installationId,
      projectId: customer.project.id,
      integrationId: customer.integrationId,
      group: { groupRef: customer.groupRef },
      connection: { id: customer.connectionId, provider },
      config: { content: { provider } },
      healthStatus: 'healthy',
      createTime: moment,
      createdBy: text,
    });
  });

  it('names who created it, as consumer:<id> [installation.created-by]', async () => {
    expect((await customer.installation()).createdBy).toBe(`consumer:${customer.groupRef}-user`);
  });

  it('has a group with ref, name, project and time [group.required] [group.ref] [service.timestamps]', async () => {
    const { group } = await customer.installation();
    expect(group).toMatchObject({ groupRef: customer.groupRef, groupName: text, createTime: moment });
    expect(group?.projectId).toBe(customer.project.id);
  });

  it('has a connection with a consumer, a scheme and a status [connection.required] [consumer.required] [connection.status]', async () => {
    const { connection } = await customer.installation();
    expect(connection).toMatchObject({
      id: customer.connectionId,
      projectId: customer.project.id,
      provider,
      group: { groupRef: customer.groupRef },
      createTime: moment,
      authScheme: 'oauth2/authorizationCode',
      status: 'created',
    });
    expect(connection.consumer).toMatchObject({
      consumerRef: `${customer.groupRef}-user`,
      consumerName: text,
      projectId: customer.project.id,
      createTime: moment,
    });
  });

  it('says which workspace of the provider it is [connection.workspace-ref]', async () => {
    const { providerWorkspaceRef } = await customer.connection();
    expect(providerWorkspaceRef).toBe(customer.account.workspaceRef);
  });

  it('has a config with id, revision, author and time [config.required] [config.created-by]', async () => {
    const { config } = await customer.installation();
    expect(config).toMatchObject({ id: text, createTime: moment, content: { provider } });
    expect(config.revisionId).toBeTruthy();
    expect(config.createdBy).toMatch(/^(consumer|builder):.+/);
  });

  it('its config names the revision that was current, also after an update [config.revision-id]', async () => {
    const { project, integrationId } = customer;
    const integration = () =>
      call<Integration>(`${project.url}/integrations/${integrationId}`, { method: 'GET', key: project.key });
    const { name, latestRevision } = await integration();
    expect((await customer.installation()).config.revisionId).toBe(latestRevision.id);
    const more = {
      read: { objects: [{ objectName: object }] },
      write: { objects: [{ objectName: object, inheritMapping: true }] },
    };
    await project.deploy([{ name, provider, ...more }]);
    const second = (await integration()).latestRevision.id;
    expect(second).not.toBe(latestRevision.id);
    expect((await customer.installation()).config.revisionId).toBe(latestRevision.id);
    await patchObject([{ op: 'add', path: '/deletionSettings', value: { enabled: true } }]);
    expect((await customer.installation()).config.revisionId).toBe(second);
  });

  it('an update changes what its mask names, and nothing else [install.update] [install.write-options]', async () => {
    const settings = {
      objectName: object,
      selectedFieldSettings: { [title]: { default: { stringValue: 'Patched' } } },
    };
    const content = { provider, write: { objects: { [object]: settings } }, proxy: { enabled: true } };
    const updateMask = [`config.content.write.objects.${object}`];
    const reply = await patch({ updateMask, installation: { config: { content } } });
    expect(reply).toMatchObject({
      status: 200,
      body: { config: { content: { write: { objects: { [object]: settings } } } } },
    });
    expect(reply.body.config.content).not.toHaveProperty('proxy');
    // In force for the next write.
    const written = await customer.write(object, { type: 'create', record: person(crm, 'Patched') });
    expect((await customer.account.record(object, written.body.result.recordId))?.fields[title]).toBe('Patched');
  });

  it.each([
    ['an unknown path', ['config.content.everything']],
    ['a path into a prototype', ['config.content.__proto__']],
    ['a mask that is a text', 'config.content.write.objects'],
  ])('an update with %s is refused [install.update]', async (_case, updateMask) => {
    const content = { provider, write: { objects: {} } };
    expect(await patch({ updateMask, installation: { config: { content } } })).toMatchObject({ status: 400 });
    expect(await customer.installation()).not.toHaveProperty('updateTime');
  });

  it('updateTime comes with a new config, and with nothing else [installation.update-time]', async () => {
    expect(await customer.installation()).not.toHaveProperty('updateTime');
    await customer.write(object, { type: 'create', record: person(crm, 'NoUpdate') });
    expect(await customer.installation()).not.toHaveProperty('updateTime');
    await patchObject([{ op: 'add', path: '/deletionSettings', value: { enabled: true } }]);
    const { updateTime = '', createTime } = await customer.installation();
    expect(updateTime).toEqual(moment);
    expect(Date.parse(updateTime)).toBeGreaterThan(Date.parse(createTime));
    await customer.write(object, { type: 'create', record: person(crm, 'AfterUpdate') });
    expect((await customer.installation()).updateTime).toBe(updateTime);
  });

  it('a JSON Patch adds a member of one object, and replaces one that exists [install.patch-object] [install.patch-add] [install.write-options]', async () => {
    const settingsOf = ({ body }: { body: Installation }) => body.config.content.write?.objects?.[object];
    const added = await patchObject([{ op: 'add', path: '/deletionSettings', value: { enabled: true } }]);
    expect(added.status).toBe(200);
    expect(added.body.config.createdBy).toMatch(/^(consumer|builder):.+/);
    expect(settingsOf(added)).toMatchObject({ deletionSettings: { enabled: true } });
    const replaced = await patchObject([{ op: 'replace', path: '/deletionSettings', value: { enabled: false } }]);
    expect(settingsOf(replaced)).toMatchObject({ deletionSettings: { enabled: false } });
    const path = '/selectedFieldSettings';
    expect((await patchObject([{ op: 'replace', path, value: {} }])).status).toBeGreaterThanOrEqual(400);
    const value = { [title]: { writeOnUpdate: 'ifEmpty', default: { stringValue: 'x' } } };
    const two = await patchObject([
      { op: 'add', path, value },
      { op: 'replace', path: '/deletionSettings/enabled', value: true },
    ]);
    expect(settingsOf(two)).toEqual({
      objectName: object,
      deletionSettings: { enabled: true },
      selectedFieldSettings: value,
    });
  });

  it.each([
    ['no path', [{ op: 'add', value: {} }]],
    ['a path that does not start at the object', [{ op: 'add', path: 'deletionSettings', value: { enabled: true } }]],
    ['an unknown op', [{ op: 'move', path: '/deletionSettings', value: { enabled: true } }]],
    ['no value', [{ op: 'add', path: '/deletionSettings' }]],
  ])('a JSON Patch with %s is refused [install.patch-object] [install.patch-add]', async (_case, changes) => {
    expect(await patchObject(changes)).toMatchObject({ status: 400 });
    expect(await patchObject([{ op: 'add', path: '/objectName', value: object }], { action: 'erase' })).toMatchObject({
      status: 400,
    });
    expect(await customer.installation()).not.toHaveProperty('updateTime');
  });
});

describe('connections', () => {
  let project: Project;
  beforeAll(async () => {
    project = await createProject(stack);
  });

  it('authScheme is one of the seven, by what the connection was made with [connection.auth-scheme]', async () => {
    const account = await createAccount(stack, 'hubspot');
    expect((await project.connect(account, 'a', { apiKey: account.token })).authScheme).toBe('apiKey');
    expect((await project.connect(account, 'b')).authScheme).toBe('oauth2/authorizationCode');
    const url = `${project.url}/connections:generate`;
    const body = { groupRef: 'c', consumerRef: 'c', provider: 'hubspot', apiKey: account.token, authScheme: 'magic' };
    expect(await ask(url, { key: project.key, body })).toMatchObject({ status: 400 });
  });

  it('take tokens with their moments and scopes, each token a text [connection.oauth2-code]', async () => {
    const account = await createAccount(stack, 'hubspot');
    const accessToken = { token: account.token, issuedAt: '2026-01-01T00:00:00Z', expiresAt: '2036-01-01T00:00:00Z' };
    const whole = {
      accessToken,
      refreshToken: { token: account.refreshToken },
      scopes: ['crm.objects.contacts.write'],
    };
    const connection = await project.connect(account, 'd', { oauth2AuthorizationCode: whole });
    expect(connection).toMatchObject({ authScheme: 'oauth2/authorizationCode', status: 'created' });
    const wrong = [
      { accessToken: {} },
      { accessToken: account.token },
      { ...whole, scopes: 'all' },
      {
        accessToken: { token: 'a', expiresAt: 'tomorrow' },
      },
    ];
    for (const oauth2AuthorizationCode of wrong) {
      const body = { groupRef: 'e', consumerRef: 'e', provider: 'hubspot', oauth2AuthorizationCode };
      expect(await ask(`${project.url}/connections:generate`, { key: project.key, body })).toMatchObject({
        status: 400,
      });
    }
  });

  it('keep metadata of value, source and display name [connection.provider-metadata]', async () => {
    const account = await createAccount(stack, 'hubspot');
    const providerMetadata = {
      region: { value: 'eu1', source: 'input', displayName: 'Region' },
      hub: { value: '7', source: 'provider' },
      scope: { value: 'crm', source: 'token' },
    };
    const connection = await project.connect(account, 'f', { apiKey: account.token, providerMetadata });
    const workspace = { value: connection.providerWorkspaceRef, source: 'provider' };
    expect(connection.providerMetadata).toEqual({ ...providerMetadata, workspace });
    for (const region of [
      { source: 'input' },
      { value: 'eu1' },
      { value: 'eu1', source: 'guess' },
      { value: 1, source: 'input' },
    ]) {
      const body = {
        groupRef: 'g',
        consumerRef: 'g',
        provider: 'hubspot',
        apiKey: account.token,
        providerMetadata: { region },
      };
      expect(await ask(`${project.url}/connections:generate`, { key: project.key, body })).toMatchObject({
        status: 400,
      });
    }
  });

  it('never show a secret in a reply or a log [connection.api-key] [authentication.rule-4]', async () => {
    const account = await createAccount(stack, 'hubspot');
    const byKey = await project.connect(account, 'h', { apiKey: account.token });
    const refreshToken = { token: account.refreshToken };
    const oauth2AuthorizationCode = { accessToken: { token: account.token }, refreshToken };
    const byCode = await project.connect(account, 'i', { oauth2AuthorizationCode });
    const list = await call<Connection[]>(`${project.url}/connections`, { method: 'GET', key: project.key });
    const shown = JSON.stringify([byKey, byCode, list, stack.logLines()]);
    expect(list.length).toBeGreaterThanOrEqual(2);
    for (const secret of [account.token, account.refreshToken].filter(Boolean)) expect(shown).not.toContain(secret);
  });
});

describe('list installations', () => {
  let project: Project;
  let customers: Customer[];
  beforeAll(async () => {
    project = await createProject(stack);
    const next = () => createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
    const first = await next();
    customers = [first, await next()];
    const { integrationId, account } = first;
    for (const groupRef of ['beta', 'gamma']) {
      const connection = await project.connect(account, groupRef);
      const config = { content: { provider: 'hubspot' } };
      await project.install(integrationId, { groupRef, connectionId: connection.id, config });
    }
  });
  const list = (path: string, base = stack.baseUrl) =>
    ask<Installation[]>(`${base}/projects/${path}`, { method: 'GET', key: project.key });

  it('of an integration, by project id or name, under /v1: 200 and an array [list-installations.path] [list-installations.response] [errors.rule-1] [versioning.rule-1]', async () => {
    const [{ integrationId, installationId }, { installationId: others }] = customers as [Customer, Customer];
    expect(new URL(stack.baseUrl).pathname).toBe('/v1');
    for (const name of [project.id, project.name]) {
      const { status, body } = await list(`${name}/integrations/${integrationId}/installations`);
      expect(status).toBe(200);
      expect(body).toHaveLength(3);
      const ids = body.map(({ id }) => id);
      expect(ids).toContain(installationId);
      expect(ids).not.toContain(others);
    }
    const withoutVersion = stack.baseUrl.replace('/v1', '');
    expect(await list(`${project.id}/integrations/${integrationId}/installations`, withoutVersion)).toMatchObject({
      status: 404,
    });
  });

  it('of one group when groupRef is given [list-installations.group-ref]', async () => {
    const [{ integrationId }] = customers as [Customer];
    const path = `${project.id}/integrations/${integrationId}/installations`;
    const { body } = await list(`${path}?groupRef=beta`);
    expect(body.map(({ group }) => group?.groupRef)).toEqual(['beta']);
    expect(await list(`${path}?groupRef=nobody`)).toMatchObject({ status: 200, body: [] });
  });

  it('of all integrations of a project [list-installations.project]', async () => {
    const { status, body } = await list(`${project.id}/installations`);
    expect(status).toBe(200);
    expect(body).toHaveLength(4);
    expect(new Set(body.map(({ integrationId }) => integrationId)).size).toBe(2);
    expect((await list(`${project.id}/installations?groupRef=gamma`)).body).toHaveLength(1);
  });
});

describe('create an installation', () => {
  it('takes groupRef, connectionId, and config with revisionId and content [install.create] [install.write-options] [config.created-by]', async () => {
    const project = await createProject(stack);
    const account = await createAccount(stack, 'hubspot');
    const { body: integrations } = await project.deploy([
      {
        name: 'crm',
        provider: 'hubspot',
        read: { objects: [{ objectName: 'contacts' }] },
        write: { objects: [{ objectName: 'contacts' }] },
      },
    ]);
    const [integration] = integrations;
    const connection = await project.connect(account, 'acme');
    const content = {
      provider: 'hubspot',
      read: { objects: { contacts: { objectName: 'contacts', selectedFields: { email: true } } } },
      write: {
        objects: {
          contacts: {
            objectName: 'contacts',
            deletionSettings: { enabled: true },
            inheritMapping: true,
            selectedFieldSettings: { jobtitle: { default: { stringValue: 'x' }, writeOnUpdate: 'ifEmpty' } },
            selectedValueDefaults: { city: { value: 'Bern', applyOnUpdate: 'never' } },
          },
        },
      },
    };
    const revisionId = integration?.latestRevision.id;
    const body = { groupRef: 'acme', connectionId: connection.id, config: { revisionId, content } };
    const reply = await project.install(integration?.id ?? '', body);
    expect(reply).toMatchObject({
      status: 201,
      body: { group: { groupRef: 'acme' }, connection: { id: connection.id } },
    });
    expect(reply.body.config).toMatchObject({ revisionId, content });
    const other = await project.connect(account, 'beta');
    const named = { groupRef: 'beta', connectionId: other.id };
    const author = (createdBy: string) =>
      project.install(integration?.id ?? '', { ...named, config: { content, createdBy } });
    expect(await author('somebody')).toMatchObject({ status: 400 });
    expect(await author('builder:b-7')).toMatchObject({ status: 201, body: { config: { createdBy: 'builder:b-7' } } });
    for (const lacking of [
      { ...body, groupRef: undefined },
      { ...body, config: undefined },
      { ...body, config: { revisionId } },
    ]) {
      expect(await project.install(integration?.id ?? '', lacking)).toMatchObject({ status: 400 });
    }
  });
});
