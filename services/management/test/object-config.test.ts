import { sampleConfig } from '@sluice/testkit';
import type { Installation } from '@sluice/types';
import { prepareInstallation, type PreparedInstallation } from './prepare-installation';
import { useManagement } from './start-management';

const management = useManagement();

const config = sampleConfig({
  read: { objects: { contacts: { objectName: 'contacts', selectedFields: { email: true } } } },
});
const prepare = () => prepareInstallation(management, { config });

/** Of JSON Patch itself; whether the account has the fields: unknown-fields.test.ts. */
const change = ({ send, seed, integrationPath }: PreparedInstallation, changes: readonly object[], more: object = {}) =>
  send
    .patch(`${integrationPath}/objects/contacts/config-content?skipSampling=true`)
    .send({ groupRef: seed.groupRef, action: 'write', changes, ...more });

const contactsOf = (body: unknown, action: 'read' | 'write' = 'write') =>
  (body as Installation).config.content[action]?.objects?.['contacts'];

const enable = { op: 'add', path: '/deletionSettings', value: { enabled: true } };

describe('200 PATCH objects/{objectName}/config-content', () => {
  it('adds what the specification shows, in a new config', async () => {
    const prepared = await prepare();
    const reply = await change(prepared, [enable]).expect(200);
    expect(contactsOf(reply.body)).toEqual({ objectName: 'contacts', deletionSettings: { enabled: true } });
    expect(reply.body).toMatchObject({
      id: prepared.seed.installationId,
      config: { createdBy: expect.stringMatching(/^builder:/), revisionId: prepared.seed.revisionId },
    });
    expect((reply.body as Installation).config.id).not.toBe(prepared.seed.configId);
    expect(await prepared.get()).toEqual(reply.body);
  });

  it('changes the read configuration with action read, and leaves the rest', async () => {
    const prepared = await prepare();
    const changes = [
      { op: 'add', path: '/disabled', value: true },
      { op: 'add', path: '/selectedFields/phone', value: true },
    ];
    const reply = await change(prepared, changes, { action: 'read' }).expect(200);
    expect(contactsOf(reply.body, 'read')).toEqual({
      objectName: 'contacts',
      disabled: true,
      selectedFields: { email: true, phone: true },
      selectedFieldMappings: {},
    });
    expect(contactsOf(reply.body)).toEqual({ objectName: 'contacts' });
  });

  it('finds the installation by its id in place of the group', async () => {
    const prepared = await prepare();
    const { installationId } = prepared.seed;
    await change(prepared, [enable], { groupRef: undefined, installationId }).expect(200);
    await change(prepared, [enable], { installationId }).expect(200);
    await change(prepared, [enable], { installationId, groupRef: 'another' }).expect(404);
  });

  it('starts from default settings for an object that only the manifest declares', async () => {
    const prepared = await prepare();
    const path = `${prepared.integrationPath}/objects/deals/config-content`;
    const body = { groupRef: prepared.seed.groupRef, action: 'write', changes: [enable] };
    const reply = await prepared.send.patch(path).send(body).expect(200);
    expect((reply.body as Installation).config.content.write?.objects).toEqual({
      contacts: { objectName: 'contacts' },
      deals: { objectName: 'deals', deletionSettings: { enabled: true } },
    });
  });

  it('makes no config when nothing differs, and loses none of several changes at once', async () => {
    const prepared = await prepare();
    await change(prepared, [enable]).expect(200);
    const before = await prepared.get();
    expect((await change(prepared, [enable]).expect(200)).body).toEqual(before);
    const fields = ['a', 'b', 'c', 'd'];
    await Promise.all(
      fields.map((field) =>
        change(prepared, [{ op: 'add', path: `/selectedFields/${field}`, value: true }], { action: 'read' }).expect(
          200,
        ),
      ),
    );
    expect(contactsOf(await prepared.get(), 'read')).toMatchObject({
      selectedFields: { a: true, b: true, c: true, d: true, email: true },
    });
  });
});

describe('4xx PATCH objects/{objectName}/config-content', () => {
  const refused = async (status: number, changes: readonly object[], more: object = {}) => {
    const prepared = await prepare();
    const before = await management.countRows();
    const reply = await change(prepared, changes, more).expect(status);
    expect(reply.type).toBe('application/problem+json');
    expect(await management.countRows()).toEqual(before);
    return reply.body as { code: string; issues: { name: string; detail: string }[] };
  };

  it.each([
    [
      'a replace of what is not there',
      { op: 'replace', path: '/deletionSettings', value: { enabled: true } },
      /use add/,
    ],
  ])('422 for %s, and the change before it is not kept either', async (_case, wrong, detail) => {
    const problem = await refused(422, [{ op: 'add', path: '/inheritMappin', value: true }, wrong]);
    expect(problem).toMatchObject({
      code: 'installation.config-invalid',
      issues: [{ name: 'changes[1].path', detail: expect.stringMatching(detail) }],
    });
  });

  const mapping = { position: 'jobtitle' };
  it.each([
    ['add', '/selectedFieldMappings/level', 'write', 'leads nowhere: selectedFieldMappings is a member of read'],
  ])('422 for %s of %s with action %s, which is not the one that has it', async (op, path, action, begin) => {
    const problem = await refused(422, [{ op, path, value: 'jobtitle' }], { action });
    expect(problem).toMatchObject({ code: 'installation.config-invalid' });
    const detail = `${begin}, so send the change with action: ${action === 'read' ? 'write' : 'read'}`;
    expect(problem.issues).toMatchObject([{ name: 'changes[0].path', detail }]);
  });

  it('400 for an added member of the other action, with the one that has it', async () => {
    const problem = await refused(400, [{ op: 'add', path: '/selectedFieldMappings', value: mapping }]);
    expect(problem).toMatchObject({ code: 'request.invalid' });
    const detail = 'is a member of read, so send the change with action: read';
    expect(problem.issues).toMatchObject([{ name: `${at}.selectedFieldMappings`, detail }]);
  });

  const at = 'config.content.write.objects.contacts';
  it.each([
    [
      'a misspelt member',
      { path: '/deletionSetting', value: { enabled: true } },
      'deletionSetting',
      /did you mean deletionSettings/,
    ],
    ['another objectName', { path: '/objectName', value: 'deals' }, 'objectName', /must be contacts/],
  ])('400 for %s', async (_case, wrong, member, detail) => {
    const problem = await refused(400, [{ op: 'add', ...wrong }]);
    expect(problem).toMatchObject({ code: 'request.invalid' });
    expect(problem.issues[0]).toMatchObject({ name: `${at}.${member}`, detail: expect.stringMatching(detail) });
  });

  it.each(['/__proto__/polluted'])('400 for the path %j', async (path) => {
    const problem = await refused(400, [enable, { op: 'add', path, value: { polluted: true } }]);
    expect(problem.issues[0]?.name).toBe('changes[1].path');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['no changes', { changes: [] }, 'changes'],
    ['neither group nor installation', { groupRef: undefined }, 'groupRef'],
  ])('400 for %s', async (_case, more, name) => {
    const names = (await refused(400, [enable], more)).issues.map((issue) => issue.name);
    expect(names).toContain(name);
  });

  it('404 for an unknown group, and an object that neither manifest nor config has', async () => {
    expect(await refused(404, [enable], { groupRef: 'nobody' })).toMatchObject({ code: 'installation.not-found' });
    const prepared = await prepare();
    for (const [action, code] of [
      ['write', 'write.object-not-in-manifest'],
      ['read', 'search.object-not-in-manifest'],
      ['subscribe', 'search.object-not-in-manifest'],
    ]) {
      for (const objectName of ['tickets', '__proto__', 'toString']) {
        const path = `${prepared.integrationPath}/objects/${objectName}/config-content`;
        const body = { groupRef: prepared.seed.groupRef, action, changes: [enable] };
        expect((await prepared.send.patch(path).send(body).expect(404)).body).toMatchObject({ code });
      }
    }
  });
});
