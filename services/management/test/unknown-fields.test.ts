import { sampleConfig, sampleManifest } from '@sluice/testkit';
import type { ReadObjectConfig } from '@sluice/types';
import { prepareAccount } from './account';
import { addConnection } from './prepare-installation';
import { useManagement } from './start-management';

const management = useManagement();

const manifest = sampleManifest({
  read: { objects: [{ objectName: 'contacts', optionalFields: [{ mapToName: 'nick', prompt: 'Which?' }] }] },
});
const contacts = (members: Omit<ReadObjectConfig, 'objectName'>, objectName = 'contacts') =>
  sampleConfig({ read: { objects: { [objectName]: { objectName, ...members } } } });

/** A second group of the same project and account, which has nothing installed yet. */
async function prepareInstall() {
  const prepared = await prepareAccount(management, { manifest });
  const { projectId } = prepared.seed;
  await addConnection(management, projectId, 'acme', {
    seal: (id) => management.context.installations.seal({ noun: 'connection', id }, { apiKey: prepared.token }),
  });
  const install = (content: object, query = '') =>
    prepared.send
      .post(`${prepared.integrationPath}/installations${query}`)
      .send({ groupRef: 'acme', config: { content } });
  return { ...prepared, install };
}

const named = (body: unknown) =>
  (body as { issues: { name: string; detail: string }[] }).issues.map(({ name, detail }) => [name, detail]);

describe('201 POST installations', () => {
  it('takes fields that the account has, in any case, mapped names, and paths through a reference', async () => {
    const { install } = await prepareInstall();
    const content = contacts({
      selectedFields: { Email: true, createdate: false, nick: true },
      selectedFieldMappings: { nick: 'jobtitle', title: 'JobTitle', owner: 'Owner.Name', none: '' },
      dynamicMappingsInput: [{ mapToName: 'color', fieldName: 'favorite_color' }, { mapToName: 'free' }],
    });
    const reply = await install(content).expect(201);
    expect(reply.headers['sluice-warning']).toBeUndefined();
  });

  it('asks nobody with skipSampling=true', async () => {
    const { install } = await prepareInstall();
    const content = contacts({ selectedFieldMappings: { nick: 'nothing' } });
    const reply = await install(content, '?skipSampling=true').expect(201);
    expect(reply.headers['sluice-warning']).toBeUndefined();
  });

  it.each([
    ['is down', { status: 503, message: 'down' }],
    ['refuses the credentials', { status: 401, message: 'no' }],
    ['does not let the user see them', { status: 403, message: 'no scope' }],
  ])('takes them with a warning when the provider %s', async (_case, outcome) => {
    const { install, token } = await prepareInstall();
    management.hubspot.outcomes.set(token, outcome);
    const reply = await install(contacts({ selectedFieldMappings: { nick: 'nothing' } })).expect(201);
    expect(reply.headers['sluice-warning']).toContain('the fields of contacts were not checked');
  });
});

describe('422 POST installations', () => {
  it('names every field that the account lacks, with the nearest, beside the other contradictions', async () => {
    const { install } = await prepareInstall();
    const before = await management.countRows();
    const content = {
      ...contacts({
        selectedFields: { emal: true },
        selectedFieldMappings: { nick: 'jobtitel' },
        dynamicMappingsInput: [{ mapToName: 'color', fieldName: 'shoe_size' }],
      }),
      provider: 'salesforce',
    };
    const reply = await install(content).expect(422);
    const at = 'config.content.read.objects.contacts';
    expect(named(reply.body)).toEqual([
      ['config.content.provider', expect.stringContaining('must be hubspot')],
      [`${at}.selectedFieldMappings.nick`, 'is not a field of contacts at this account; did you mean jobtitle?'],
      [`${at}.dynamicMappingsInput[0].fieldName`, 'is not a field of contacts at this account'],
      [`${at}.selectedFields.emal`, 'is not a field of contacts at this account; did you mean email?'],
    ]);
    expect(await management.countRows()).toEqual(before);
  });

  it('names every name that can mean no field of the provider, once', async () => {
    const { install } = await prepareInstall();
    const read = {
      selectedFields: { "$['a']['b']": true, "$['email']": true },
      selectedFieldMappings: { nick: "$['a']['b']" },
      selectedValueMappings: { '$.a': { x: 'y' } },
    };
    const setting = { writeOnCreate: 'never' as const };
    const write = {
      contacts: { objectName: 'contacts', selectedFieldSettings: { "$['a']['b']": setting, nick: setting } },
    };
    const reply = await install({ ...contacts(read), write: { objects: write } }).expect(422);
    const at = 'config.content.read.objects.contacts';
    const flat = expect.stringContaining('give the name of the property alone');
    expect(named(reply.body)).toEqual([
      [`${at}.selectedFieldMappings.nick`, flat],
      [`${at}.selectedFields["$['a']['b']"]`, flat],
      [`${at}.selectedValueMappings["$.a"]`, expect.stringContaining('must be JSONPath in brackets')],
      [`config.content.write.objects.contacts.selectedFieldSettings["$['a']['b']"]`, flat],
    ]);
  });

  it('names an object that the account lacks', async () => {
    const { install } = await prepareInstall();
    const reply = await install(contacts({ selectedFields: { a: true } }, 'butterflies')).expect(422);
    expect(named(reply.body)).toEqual([['config.content.read.objects.butterflies', 'is not an object of the account']]);
  });

  // Names of prototypes are refused before; what else an object of fields would answer to is no field either.
  it('does not take what every object has for a field', async () => {
    const { install } = await prepareInstall();
    const reply = await install(contacts({ selectedFieldMappings: { nick: 'toString' } })).expect(422);
    expect(named(reply.body)).toHaveLength(1);
  });
});

describe('PATCH installations/{id}', () => {
  const mask = ['config.content.read.objects.contacts'];
  const change = (content: object) => ({ config: { content } });

  it('422 for a masked object whose field the account lacks', async () => {
    const { patch, get } = await prepareAccount(management, { manifest });
    const before = await get();
    const reply = await patch(mask, change(contacts({ selectedFieldMappings: { nick: 'nothing' } }))).expect(422);
    const at = 'installation.config.content.read.objects.contacts';
    expect(named(reply.body)).toEqual([
      [`${at}.selectedFieldMappings.nick`, expect.stringContaining('is not a field')],
    ]);
    expect((await get()).config).toEqual(before.config);
  });

  it('200 for what the mask does not name, and with skipSampling=true', async () => {
    const { patch, send, path } = await prepareAccount(management, { manifest });
    const installation = change(contacts({ selectedFieldMappings: { nick: 'nothing' } }));
    await patch(['config.content.write.objects'], installation).expect(200);
    await send.patch(`${path}?skipSampling=true`).send({ updateMask: mask, installation }).expect(200);
  });

  it('200 with a warning when the provider is down', async () => {
    const { patch, token } = await prepareAccount(management, { manifest });
    management.hubspot.outcomes.set(token, 'hang-up');
    const reply = await patch(mask, change(contacts({ selectedFields: { email: true } }))).expect(200);
    expect(reply.headers['sluice-warning']).toContain('were not checked');
  });
});

describe('PATCH objects/{objectName}/config-content', () => {
  const prepare = async (content = sampleConfig()) => {
    const prepared = await prepareAccount(management, { manifest, config: content });
    const change = (op: string, path: string, value: unknown, query = '') =>
      prepared.send
        .patch(`${prepared.integrationPath}/objects/contacts/config-content${query}`)
        .send({ groupRef: prepared.seed.groupRef, action: 'read', changes: [{ op, path, value }] });
    return { ...prepared, change };
  };

  it('422 for a change that names a field the account lacks, with the nearest; one that it has is taken', async () => {
    const { change, get } = await prepare();
    const before = await get();
    const reply = await change('add', '/selectedFieldMappings', { nick: 'jobtitel' }).expect(422);
    expect(reply.body).toMatchObject({ code: 'installation.config-invalid' });
    expect(named(reply.body)).toEqual([
      [
        'config.content.read.objects.contacts.selectedFieldMappings.nick',
        'is not a field of contacts at this account; did you mean jobtitle?',
      ],
    ]);
    expect((await get()).config).toEqual(before.config);
    await change('add', '/selectedFieldMappings', { nick: 'jobtitle' }).expect(200);
  });

  // A field that a customer removed at the provider must not forbid every other change.
  it('200 beside a stored field that the account lacks, and with skipSampling=true', async () => {
    const { change } = await prepare(contacts({ selectedFieldMappings: { nick: 'gone' } }));
    await change('add', '/selectedFields', { email: true }).expect(200);
    await change('replace', '/selectedFieldMappings/nick', 'gone-too').expect(422);
    await change('replace', '/selectedFieldMappings/nick', 'gone-too', '?skipSampling=true').expect(200);
  });

  it('200 with a warning when the provider is down, and without one where no field is named', async () => {
    const { change, token } = await prepare();
    management.hubspot.outcomes.set(token, 'hang-up');
    const reply = await change('add', '/selectedFields', { nothing: true }).expect(200);
    expect(reply.headers['sluice-warning']).toContain('the fields of contacts were not checked');
    const other = await change('add', '/disabled', true).expect(200);
    expect(other.headers['sluice-warning'] ?? '').not.toContain('were not checked');
  });
});
