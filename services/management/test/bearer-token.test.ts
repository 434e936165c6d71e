import { tokenIssuer } from '@sluice/testkit';
import type { AuthoredConfig, Installation } from '@sluice/types';
import { addConnection, prepareInstallation, type PreparedInstallation } from './prepare-installation';
import { useManagement, type Sender } from './start-management';

const management = useManagement();
let prepared: PreparedInstallation;
let browser: Sender;
beforeAll(async () => {
  prepared = await prepareInstallation(management);
  browser = management.as(await tokenFor(prepared.seed.groupRef));
});

const issuer = tokenIssuer();

async function tokenFor(groupRef: string): Promise<string> {
  const { projectId } = prepared.seed;
  const { publicKeyPem } = issuer;
  const { id } = await management.context.store.jwtKeys.create({ projectId, label: 'test', publicKeyPem });
  return issuer.issue(id, { groupRef, consumerRef: 'ann', sub: 'ann' });
}

const content = (enabled: boolean) => ({
  provider: 'hubspot',
  write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled } } } },
});
const createdByOf = async () => (await prepared.get()).config.createdBy;

// Specification, Config: createdBy is consumer:<id> or builder:<id>. A token speaks for its own user, whatever it sends.
describe('what a bearer token changes is by its user', () => {
  it('an update', async () => {
    const config = { content: content(true), createdBy: 'builder:somebody' };
    const sent = { updateMask: ['config.content.write.objects', 'config.createdBy'], installation: { config } };
    const { body } = await browser.patch(prepared.path).send(sent).expect(200);
    expect((body as Installation).config.createdBy).toBe('consumer:ann');
    expect(await createdByOf()).toBe('consumer:ann');
  });

  it('a patch of one object', async () => {
    const changes = [{ op: 'add', path: '/deletionSettings', value: { enabled: false } }];
    const sent = { groupRef: prepared.seed.groupRef, action: 'write', changes };
    await prepared.patch(['config.content.write.objects'], { config: { content: content(true) } }).expect(200);
    await browser.patch(`${prepared.integrationPath}/objects/contacts/config-content`).send(sent).expect(200);
    expect(await createdByOf()).toBe('consumer:ann');
  });

  it('an installation', async () => {
    const { projectId, connectionId, groupRef } = prepared.seed;
    const manifest = { name: 'second', provider: 'hubspot', write: { objects: [{ objectName: 'contacts' }] } };
    const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations: [manifest] });
    await prepared.send.put(`/v1/projects/${projectId}/integrations:batch`).send({ sourceYaml }).expect(200);
    const sent = { groupRef, connectionId, config: { content: content(true), createdBy: 'builder:somebody' } };
    const path = `/v1/projects/${projectId}/integrations/second`;
    const { id } = (await prepared.send.get(path).expect(200)).body as { id: string };
    const reply = await browser
      .post(`/v1/projects/${projectId}/integrations/${id}/installations`)
      .send(sent)
      .expect(201);
    expect((reply.body as Installation).config.createdBy).toBe('consumer:ann');
  });
});

// What keys and people are called is for the builder; a user's name is shown to the builder as well.
it('the history names its authors to a key, and to no token', async () => {
  const { projectId, groupRef } = prepared.seed;
  const update = { updateMask: ['config.content.write.objects'], installation: { config: { content: content(true) } } };
  await prepared.send.patch(prepared.path).send(update).expect(200);
  await addConnection(management, projectId, groupRef, { consumerRef: 'ann', consumerName: 'Ann Lee' });
  await browser
    .patch(prepared.path)
    .send({ ...update, installation: { config: { content: content(false) } } })
    .expect(200);
  const { body } = await prepared.send.get(`${prepared.path}/configs`).expect(200);
  const [newest, before] = body as AuthoredConfig[];
  expect([newest?.createdByLabel, before?.createdByLabel]).toEqual(['Ann Lee', 'test']);
  const { body: seen } = await browser.get(`${prepared.path}/configs`).expect(200);
  expect(seen).toHaveProperty('[0].createdBy', 'consumer:ann');
  expect(JSON.stringify(seen)).not.toContain('createdByLabel');
});

describe('404 for what belongs to another group', () => {
  const stable = (text: string) => text.replaceAll(/"(requestId|instance|time)":"[^"]*"/g, '');

  it('a connection that a body names', async () => {
    const { projectId, connectionId } = prepared.seed;
    const stranger = management.as(await tokenFor('strangers'));
    const path = `/v1/projects/${projectId}/integrations/${prepared.seed.integrationId}/installations`;
    const ask = (named: string) =>
      stranger.post(path).send({ groupRef: 'strangers', connectionId: named, config: { content: content(true) } });
    const theirs = await ask(connectionId).expect(404);
    expect(theirs.body).toMatchObject({ code: 'connection.not-found' });
    expect(stable(theirs.text)).toBe(stable((await ask('0190a4c2-7b5e-7000-8000-000000000000').expect(404)).text));
  });
});
