import type { Integration, ManifestPreview } from '@sluice/types';
import { useManagement, type ProjectWithKey } from './start-management';

const management = useManagement();
let project: ProjectWithKey;
beforeEach(async () => {
  project = await management.newProject();
});

const path = () => `/v1/projects/${project.id}/integrations`;
const manifest = (...integrations: readonly object[]) => ({
  sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }),
});
const crm = (...objects: readonly string[]) => ({
  name: 'crm',
  provider: 'hubspot',
  write: { objects: objects.map((objectName) => ({ objectName })) },
});
const preview = async (...integrations: readonly object[]) => {
  const reply = await management
    .as(project.key)
    .post(`${path()}:preview`)
    .send(manifest(...integrations))
    .expect(200);
  return (reply.body as ManifestPreview).integrations;
};
const deploy = (...integrations: readonly object[]) =>
  management
    .as(project.key)
    .put(`${path()}:batch`)
    .send(manifest(...integrations));

it('says of each integration what a deployment would do, and does nothing', async () => {
  const [standing] = (await deploy(crm('contacts')).expect(200)).body as Integration[];
  const rows = await management.countRows();
  const erp = { ...crm('deals'), name: 'erp' };
  expect(await preview(crm('contacts', 'deals'), erp)).toMatchObject([
    {
      name: 'crm',
      provider: 'hubspot',
      change: 'revised',
      integrationId: standing?.id,
      before: crm('contacts'),
      after: crm('contacts', 'deals'),
    },
    { name: 'erp', change: 'created', after: erp },
  ]);
  expect(await management.countRows()).toEqual(rows);
});

// What is called unchanged must make no revision, and what is called revised must make one.
it('agrees with the deployment', async () => {
  const revision = async (...integrations: readonly object[]) =>
    ((await deploy(...integrations).expect(200)).body as Integration[])[0]?.latestRevision.id;
  const first = await revision(crm('contacts'));
  expect(await preview(crm('contacts'))).toMatchObject([{ change: 'unchanged', before: crm('contacts') }]);
  expect(await revision(crm('contacts'))).toBe(first);
  const { name, ...rest } = crm('contacts');
  const [reordered] = await preview({ ...rest, name });
  const isNew = (await revision({ ...rest, name })) !== first;
  expect(reordered?.change).toBe(isNew ? 'revised' : 'unchanged');
  expect(await preview(crm('deals'))).toMatchObject([{ change: 'revised' }]);
  expect(await revision(crm('deals'))).not.toBe(first);
});

it('is refused as the deployment would be', async () => {
  await deploy(crm('contacts')).expect(200);
  const refusals = [
    [{ ...crm('contacts'), provider: 'salesforce' }, 409, 'integration.name-taken'],
    [{ ...crm('contacts'), provider: 'nobody' }, 422, 'provider.unknown'],
    [{ name: 'crm' }, 400, 'request.invalid'],
  ] as const;
  for (const [integration, status, code] of refusals) {
    const reply = await management.as(project.key).post(`${path()}:preview`).send(manifest(integration)).expect(status);
    const {
      instance: _one,
      requestId: _same,
      time: _then,
      ...deployed
    } = (await deploy(integration)).body as Record<string, unknown>;
    expect(reply.body).toMatchObject({ ...deployed, code });
  }
});

// Four deployments of 0.6 MB each, and a manifest of four names.
it('[sec-28] is refused where the contents in force are too large together, with the bound', async () => {
  const large = (name: string, prompt: string) => ({
    ...crm('contacts'),
    name,
    read: { objects: [{ objectName: 'contacts', optionalFields: [{ mapToName: 'a', prompt }] }] },
  });
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await deploy(large(name, 'ā'.repeat(300_000))).expect(200);
  const small = manifest(...names.map((name) => large(name, '')));
  const { body } = await management.as(project.key).post(`${path()}:preview`).send(small).expect(400);
  expect(body).toMatchObject({
    code: 'request.invalid',
    issues: [
      {
        in: 'body',
        name: 'integrations',
        detail: expect.stringMatching(/^would replace contents of 240\d{4} bytes together; .* at most 2097152$/),
      },
    ],
    remedy: expect.stringContaining('fewer of the integrations'),
  });
  const shown = await preview(...names.slice(0, 3).map((name) => large(name, '')));
  expect(shown.map(({ change }) => change)).toEqual(['revised', 'revised', 'revised']);
});
