import { createCustomer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { crms, hubspot, person } from './crms';

const stack = sharedStack();
let project: Project;
beforeAll(async () => {
  project = await createProject(stack);
});

const integration = (name: string, more: object = {}) => ({
  name,
  provider: 'hubspot',
  read: { objects: [{ objectName: 'contacts' }] },
  write: { objects: [{ objectName: 'contacts' }] },
  ...more,
});

describe('a manifest', () => {
  it('declares integrations with read and write actions per object [service.rule-2] [manifest.integrations]', async () => {
    const { status, body } = await project.deploy([integration('one'), integration('two')]);
    expect(status).toBe(200);
    expect(body.map(({ name, provider }) => ({ name, provider }))).toEqual([
      { name: 'one', provider: 'hubspot' },
      { name: 'two', provider: 'hubspot' },
    ]);
    expect(body[0]?.latestRevision.content).toMatchObject({
      read: { objects: [{ objectName: 'contacts' }] },
      write: { objects: [{ objectName: 'contacts' }] },
    });
  });

  it.each([
    [200, '1.0.0'],
    [400, '2.0.0'],
    [400, 1],
    [400, undefined],
  ])('answers %d to specVersion %j [manifest.spec-version] [versioning.rule-2]', async (status, specVersion) => {
    const reply = await project.deploy([integration('versioned')], { specVersion });
    expect(reply.status).toBe(status);
    expect(JSON.stringify(reply.body)).toContain('specVersion');
  });

  it('holds its integrations in an array [manifest.integrations]', async () => {
    expect((await project.deploy([], { integrations: integration('alone') })).status).toBe(400);
    expect((await project.deploy([], { integrations: undefined })).status).toBe(400);
  });

  it.each([
    ['name', '[manifest.name]'],
    ['provider', '[manifest.provider]'],
  ])('needs a %s for each integration, which is a text %s', async (member) => {
    for (const value of [undefined, 7, '']) {
      const reply = await project.deploy([integration('lacking', { [member]: value })]);
      expect(reply.status).toBe(400);
      expect(JSON.stringify(reply.body)).toContain(`integrations[0].${member}`);
    }
  });

  it('may give an integration a display name [manifest.display-name]', async () => {
    const { body } = await project.deploy([integration('shown', { displayName: 'Zoë’s CRM' }), integration('plain')]);
    expect(body.find(({ name }) => name === 'shown')?.latestRevision.content.displayName).toBe('Zoë’s CRM');
    expect(body.find(({ name }) => name === 'plain')?.latestRevision.content).not.toHaveProperty('displayName');
  });

  it.each([
    ['read without objectName [manifest.read-object]', { read: { objects: [{ enabled: 'always' }] } }],
    ['write without objectName [manifest.write-object]', { write: { objects: [{ inheritMapping: true }] } }],
    ['enabled: true [manifest.enabled-always]', { read: { objects: [{ objectName: 'contacts', enabled: true }] } }],
    ['enabled: never [manifest.enabled-always]', { read: { objects: [{ objectName: 'contacts', enabled: 'never' }] } }],
    [
      'inheritMapping as a text [manifest.write-object]',
      { write: { objects: [{ objectName: 'contacts', inheritMapping: 'yes' }] } },
    ],
    ['an objectName that is a number [manifest.write-object]', { write: { objects: [{ objectName: 5 }] } }],
  ])('refuses %s', async (_case, more) => {
    expect((await project.deploy([integration('refused', more)])).status).toBe(400);
  });

  it('takes both optional members [manifest.read-object] [manifest.write-object] [manifest.enabled-always]', async () => {
    const more = {
      read: { objects: [{ objectName: 'contacts', enabled: 'always' }, { objectName: 'companies' }] },
      write: { objects: [{ objectName: 'contacts', inheritMapping: true }, { objectName: 'companies' }] },
    };
    const reply = await project.deploy([integration('whole', more)]);
    expect(reply.body.find(({ name }) => name === 'whole')?.latestRevision.content).toMatchObject(more);
  });
});

describe.each(crms)('%s: which objects can be searched', (provider, crm) => {
  const { object, last } = crm;
  const disabled = { read: { objects: { [object]: { objectName: object, disabled: true } } } };
  const search = async (read: { objectName: string; enabled?: string }[], config = {}) => {
    const customer = await createCustomer(stack, { provider, read, write: [object], config });
    await customer.write(object, { type: 'create', record: person(crm, 'Findable') });
    const reply = await customer.search(object, { [last]: 'Findable' });
    return { status: reply.status, found: reply.body.results?.length };
  };

  it('one under read that the config does not disable [manifest.rule-1] [manifest.rule-3]', async () => {
    expect(await search([{ objectName: object }])).toEqual({ status: 200, found: 1 });
    const enabled = { read: { objects: { [object]: { objectName: object, disabled: false } } } };
    expect(await search([{ objectName: object }], enabled)).toEqual({ status: 200, found: 1 });
  });

  it('none that is not under read [manifest.rule-1]', async () => {
    expect(await search([{ objectName: crm.other.object }])).toMatchObject({ status: 404 });
  });

  it('none that the config disables [manifest.rule-3] [manifest.rule-1] [read-config.disabled]', async () => {
    expect(await search([{ objectName: object }], disabled)).toMatchObject({ status: 403 });
  });

  it('one with enabled: always, also when disabled [manifest.rule-2] [manifest.enabled-always]', async () => {
    expect(await search([{ objectName: object, enabled: 'always' }], disabled)).toEqual({ status: 200, found: 1 });
  });
});

describe.each(crms)('%s: which objects can be written', (provider, crm) => {
  it('one that exists in the SaaS; another is refused by it [manifest.write-object-exists]', async () => {
    const customer = await createCustomer(stack, { provider, write: [crm.object, 'unicorns'] });
    expect(await customer.write(crm.object, { type: 'create', record: person(crm, 'Real') })).toMatchObject({
      status: 200,
    });
    const reply = await customer.write('unicorns', { type: 'create', record: { name: 'x' } });
    expect(reply).toMatchObject({ status: 422, body: { result: { success: false } } });
    expect(reply.body.errors[0]?.message).toBeTruthy();
  });

  it('none that the manifest does not declare [write.object-name]', async () => {
    const customer = await createCustomer(stack, { provider, write: [crm.object] });
    const { object, record } = crm.other;
    const reply = await customer.write(object, { type: 'create', record: record('Acme') });
    expect(reply).toMatchObject({ status: 404, body: { code: 'write.object-not-in-manifest' } });
    expect(await customer.account.records(object)).toEqual([]);
  });
});

it('an object is written under its own name or its mapToName, and is one object', async () => {
  const customer = await createCustomer(stack, {
    provider: 'hubspot',
    read: [{ objectName: 'contacts', mapToName: 'people' }],
    write: ['contacts'],
    config: { write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled: true } } } } },
  });
  const made = await customer.write('people', { type: 'create', record: { email: 'mapped@example.com' } });
  expect(made).toMatchObject({ status: 200, body: { result: { success: true } } });
  const [stored] = await customer.account.records('contacts');
  expect(stored?.fields).toMatchObject({ email: 'mapped@example.com' });
  const { operationId } = made.body as { operationId: string };
  expect(await customer.project.client.management.getOperation({ operationId })).toMatchObject({
    resource: 'contacts',
  });
  const gone = await customer.write('people', { type: 'delete', record: { id: stored?.id } });
  expect(gone.status).toBe(200);
  expect(await customer.account.records('contacts')).toEqual([]);
});

it('a manifest that declares another object makes it writable at once [write.object-name]', async () => {
  const { object } = hubspot.other;
  const customer = await createCustomer(stack, { provider: 'hubspot', write: [object] });
  const reply = await customer.write(object, { type: 'create', record: hubspot.other.record('Acme') });
  expect(reply).toMatchObject({ status: 200, body: { result: { success: true } } });
  expect(await customer.account.records(object)).toHaveLength(1);
});

describe('what is declared and not served', () => {
  const deployedAgain = async (more: object) => {
    const customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
    const [standing] = await customer.project.client.management.listIntegrations({});
    const { status, headers } = await customer.project.deploy([integration(standing?.name ?? '', more)]);
    expect(status).toBe(200);
    return { customer, warning: headers.get('sluice-warning') };
  };
  const record = { email: 'a@example.com' };

  it('a module deploys with a warning; its writes and searches are refused by name', async () => {
    const { customer, warning } = await deployedAgain({ module: 'desk' });
    const unserved = 'the module "desk" of hubspot is not served; served: crm';
    expect(warning).toContain(unserved);
    const refused = { detail: expect.stringContaining(unserved) };
    expect(await customer.write('contacts', { type: 'create', record })).toMatchObject({
      status: 400,
      body: { code: 'write.capability-missing', ...refused },
    });
    expect(await customer.search('contacts', { email: 'a@example.com' })).toMatchObject({
      status: 400,
      body: { code: 'search.capability-missing', ...refused },
    });
    expect(await customer.account.records('contacts')).toEqual([]);
  });

  it('the module that is served needs no word', async () => {
    const { customer, warning } = await deployedAgain({ module: 'crm' });
    expect(warning).toBeNull();
    expect(await customer.write('contacts', { type: 'create', record })).toMatchObject({ status: 200 });
  });

  it('schedules and subscriptions deploy with a warning that names them', async () => {
    const read = { objects: [{ objectName: 'contacts', schedule: '*/10 * * * *' }] };
    const { warning } = await deployedAgain({ read, subscribe: { objects: [] } });
    expect(warning).toContain('read.objects.contacts.schedule, subscribe stored only');
  });
});
