import type { ProviderApp } from '@sluice/types';
import { ask } from '../harness/api';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';

const stack = sharedStack();
let project: Project;
beforeAll(async () => {
  project = await createProject(stack);
});

const app = { provider: 'hubspot', clientId: 'client', clientSecret: 'a-secret-of-the-builder' };
const create = (body: object) => ask<ProviderApp>(`${project.url}/provider-apps`, { key: project.key, body });

it('has clientId, createTime, id, projectId and provider, and never shows its secret [provider-app.required]', async () => {
  const { status, body } = await create({ ...app, clientId: 'minimal' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: expect.stringMatching(/./),
    projectId: project.id,
    provider: 'hubspot',
    clientId: 'minimal',
    createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
  });
  expect(JSON.stringify(body)).not.toContain(app.clientSecret);
});

it('keeps externalRef, scopes and metadata [provider-app.optional] [provider-app.auth-query-params] [provider-app.provider-params]', async () => {
  const more = {
    externalRef: 'app-7',
    scopes: ['crm.objects.contacts.write'],
    metadata: { authQueryParams: { prompt: ['consent', 'login'] }, providerParams: { region: 'eu1' } },
  };
  const created = await create({ ...app, provider: 'salesforce', ...more });
  expect(created).toMatchObject({ status: 200, body: more });
});

it.each([
  ['clientId that is missing [provider-app.required]', { clientId: undefined }],
  ['provider that is missing [provider-app.required]', { provider: undefined }],
  ['scopes that are a text [provider-app.optional]', { scopes: 'all' }],
  ['query parameter that is a text [provider-app.auth-query-params]', { metadata: { authQueryParams: { a: 'b' } } }],
  ['provider parameter that is a number [provider-app.provider-params]', { metadata: { providerParams: { a: 1 } } }],
])('refuses a %s', async (_case, more) => {
  expect(await create({ ...app, clientId: 'wrong', ...more })).toMatchObject({ status: 400 });
});
