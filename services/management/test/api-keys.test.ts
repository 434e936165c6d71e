import { tokenIssuer, until } from '@sluice/testkit';
import type { ApiKey, Integration, JwtKey } from '@sluice/types';
import { adminKey, useManagement, type ProjectWithKey } from './start-management';

const management = useManagement();
let project: ProjectWithKey;
beforeEach(async () => {
  project = await management.newProject();
});

const listed = async <Key>(kind: 'api-keys' | 'jwt-keys', reader = adminKey): Promise<readonly Key[]> =>
  (await management.as(reader).get(`/v1/projects/${project.id}/${kind}`).expect(200)).body as Key[];
const make = async (label: string, by = project.key): Promise<ApiKey> => {
  const sent = { label, scopes: ['read'] };
  return (await management.as(by).post(`/v1/projects/${project.id}/api-keys`).send(sent).expect(201)).body as ApiKey;
};

describe('200 GET api-keys', () => {
  it('shows how a key begins and who made it, and never the key', async () => {
    const made = await make('reporting');
    const [first, second] = await listed<ApiKey>('api-keys');
    expect(first).toMatchObject({ label: 'test', createdBy: 'builder:admin' });
    expect(first).not.toHaveProperty('createdByLabel');
    expect(second).toMatchObject({ label: 'reporting', createdBy: `builder:${first?.id}`, createdByLabel: 'test' });
    expect(second?.prefix).toBe(made.key.slice(0, `sk_${project.id}_`.length + 4));
    expect(JSON.stringify([first, second])).not.toContain(made.key);
    // The label of a key that is gone is gone too; its id stays.
    await management.as(adminKey).delete(`/v1/projects/${project.id}/api-keys/${first?.id}`).expect(204);
    const [left] = await listed<ApiKey>('api-keys');
    expect(left?.createdBy).toBe(`builder:${first?.id}`);
    expect(left).not.toHaveProperty('createdByLabel');
  });

  it('shows when a key was used, also where its scopes do not suffice; not that of another project', async () => {
    const [used, idle] = [await make('used'), await make('idle')];
    const other = await management.newProject();
    await management.as(used.key).post(`/v1/projects/${project.id}/api-keys`).send({ label: 'x' }).expect(403);
    const byLabel = async (label: string) => (await listed<ApiKey>('api-keys')).find((key) => key.label === label);
    const lastUse = await until('the use is shown', async () => (await byLabel('used'))?.lastUseTime);
    expect(Date.parse(lastUse)).toBeGreaterThanOrEqual(Date.parse(used.createTime ?? ''));
    expect(await byLabel('idle')).not.toHaveProperty('lastUseTime');
    expect(idle).not.toHaveProperty('lastUseTime');
    await management.as(other.key).get(`/v1/projects/${project.id}/api-keys`).expect(404);
  });
});

// A token says whose it is; the key that it was signed with is what a builder can refuse.
it('shows when a token of a JWT key was used', async () => {
  const issuer = tokenIssuer();
  const sent = { label: 'browser', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
  const path = `/v1/projects/${project.id}/jwt-keys`;
  const { kid } = (await management.as(project.key).post(path).send(sent).expect(201)).body as { kid: string };
  const [unused] = await listed<JwtKey>('jwt-keys');
  expect(unused).toMatchObject({ id: kid, createdByLabel: 'test' });
  expect(unused).not.toHaveProperty('lastUseTime');
  const browser = management.as(issuer.issue(kid, { groupRef: 'acme', consumerRef: 'ann', sub: 'ann' }));
  await browser.get(`/v1/projects/${project.id}/integrations`).expect(200);
  await until('the use is shown', async () => (await listed<JwtKey>('jwt-keys'))[0]?.lastUseTime);
});

it('a revision says who deployed it, an equal manifest leaves it, and a customer is not shown it', async () => {
  const issuer = tokenIssuer();
  const { id: kid } = await management.context.store.jwtKeys.create({
    projectId: project.id,
    label: 'browser',
    publicKeyPem: issuer.publicKeyPem,
  });
  const path = `/v1/projects/${project.id}/integrations`;
  const deploy = async (key: string, ...objects: readonly string[]) => {
    const write = { objects: objects.map((objectName) => ({ objectName })) };
    const integrations = [{ name: 'crm', provider: 'hubspot', write }];
    const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations });
    const reply = await management.as(key).put(`${path}:batch`).send({ sourceYaml }).expect(200);
    return (reply.body as Integration[])[0]?.latestRevision;
  };
  const [builder] = await listed<ApiKey>('api-keys');
  const by = { createdBy: `builder:${builder?.id}`, createdByLabel: 'test' };
  expect(await deploy(project.key, 'contacts')).toMatchObject(by);
  const release = await management.newKey(project.id, ['frontend']);
  expect(await deploy(release, 'contacts')).toMatchObject(by);
  const second = await deploy(release, 'contacts', 'deals');
  expect(second?.createdBy).not.toBe(by.createdBy);
  const [shown] = (await management.as(project.key).get(path).expect(200)).body as Integration[];
  expect(shown?.latestRevision).toEqual(second);
  const browser = management.as(issuer.issue(kid, { groupRef: 'acme', consumerRef: 'ann', sub: 'ann' }));
  for (const address of [path, `${path}/crm`]) {
    const { text } = await browser.get(address).expect(200);
    expect(text).toContain(second?.id);
    expect(text).not.toContain('createdBy');
  }
});
