import type { SluiceClient } from '@sluice/client';
import { createAccount, type Account } from '../harness/account';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';
import { createProject, type Project } from '../harness/project';

// What a backend does at each of its starts: nothing is made twice, and nothing is left over.
let stack: EmbeddedStack;
let project: Project;
let account: Account;
beforeAll(async () => {
  stack = await startEmbeddedStack();
  project = await createProject(stack);
  account = await createAccount(stack, 'hubspot');
  const manifest = { specVersion: '1.0.0', integrations: [{ name: 'crm', provider: 'hubspot' }] };
  await project.client.management.deployManifest({ body: { sourceYaml: JSON.stringify(manifest) } });
});
afterAll(() => stack.stop());

const ensure = (client: SluiceClient, groupRef: string, token = account.token) =>
  client.ensureInstallation({
    integrationId: 'crm',
    groupRef,
    connection: { consumerRef: 'ann', oauth2AuthorizationCode: { accessToken: { token } } },
    content: { proxy: { enabled: false } },
  });
const standing = async (groupRef: string) => {
  const { management } = project.client;
  const [installations, connections] = await Promise.all([
    management.listInstallations({ integrationId: 'crm', groupRef }),
    management.listConnections({ groupRef }),
  ]);
  return { installations: installations.map(({ id }) => id), connections: connections.map(({ id }) => id) };
};

it('connects and installs once, and finds it at the next start', async () => {
  const first = await ensure(project.client, 'twice');
  expect(first).toMatchObject({ healthStatus: 'healthy', config: { content: { provider: 'hubspot' } } });
  const again = await ensure(project.client, 'twice', 'a token that nobody asks for');
  expect(again.id).toBe(first.id);
  expect(await standing('twice')).toEqual({ installations: [first.id], connections: [first.connection.id] });
});

it('started at once in several processes, leaves one installation and one connection', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => ensure(project.client, 'at-once')));
  const [first] = all;
  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  expect(await standing('at-once')).toEqual({ installations: [first?.id], connections: [first?.connection.id] });
});

it('uses a connection that is there, and makes none for an installation that is refused', async () => {
  const content = { read: { objects: { contacts: { objectName: 'other' } } } };
  const refused = project.client.ensureInstallation({
    integrationId: 'crm',
    groupRef: 'later',
    connection: { consumerRef: 'ann', oauth2AuthorizationCode: { accessToken: { token: account.token } } },
    content,
  });
  await expect(refused).rejects.toMatchObject({ status: 400 });
  const { connections } = await standing('later');
  const installation = await ensure(project.client, 'later', 'a token that nobody asks for');
  expect(await standing('later')).toEqual({ installations: [installation.id], connections });
  expect(connections).toEqual([installation.connection.id]);
});

it('without credentials or a connection it is refused as a created installation is', async () => {
  const refused = project.client.ensureInstallation({ integrationId: 'crm', groupRef: 'nobody' });
  await expect(refused).rejects.toMatchObject({ status: 404, code: 'connection.not-found' });
});
