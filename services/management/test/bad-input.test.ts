import { sampleConfig, sampleManifest, seedInstallation, type SeededInstallation } from '@sluice/testkit';
import { adminKey, useManagement, type Sender } from './start-management';

const management = useManagement();
let seed: SeededInstallation;
let key: string;
beforeAll(async () => {
  seed = await seedInstallation(management.context.store);
  key = await management.newKey(seed.projectId, ['full']);
});

/** Every endpoint that reads a body, with a body that is right but for what a test changes. */
const endpoints: readonly [string, keyof Sender, () => string, () => object][] = [
  ['POST projects', 'post', () => '/v1/projects', () => ({ name: 'new-one', appName: 'A', orgId: 'o' })],
  ['POST api-keys', 'post', () => `/v1/projects/${seed.projectId}/api-keys`, () => ({ label: 'x' })],
  [
    'POST integrations',
    'post',
    () => `/v1/projects/${seed.projectId}/integrations`,
    () => ({
      name: 'b',
      provider: 'hubspot',
      latestRevision: { specVersion: '1.0.0', content: sampleManifest({ name: 'b' }) },
    }),
  ],
  [
    'PUT integrations:batch',
    'put',
    () => `/v1/projects/${seed.projectId}/integrations:batch`,
    () => ({ sourceYaml: 'a: 1' }),
  ],
  [
    'POST revisions',
    'post',
    () => `/v1/projects/${seed.projectId}/integrations/${seed.integrationId}/revisions`,
    () => ({ sourceYaml: 'a: 1' }),
  ],
  [
    'POST connections:generate',
    'post',
    () => `/v1/projects/${seed.projectId}/connections:generate`,
    () => ({ groupRef: 'g', consumerRef: 'c', provider: 'hubspot', apiKey: 'k' }),
  ],
  [
    'POST installations',
    'post',
    () => `/v1/projects/${seed.projectId}/integrations/${seed.integrationId}/installations`,
    () => ({ groupRef: 'g', config: { content: sampleConfig() } }),
  ],
  [
    'PATCH project',
    'patch',
    () => `/v1/projects/${seed.projectId}`,
    () => ({ updateMask: ['appName'], project: { appName: 'A' } }),
  ],
  [
    'PATCH installations',
    'patch',
    () => `/v1/projects/${seed.projectId}/integrations/${seed.integrationId}/installations/${seed.installationId}`,
    () => ({ updateMask: [], installation: { config: { content: sampleConfig() } } }),
  ],
  [
    'PATCH config-content',
    'patch',
    () => `/v1/projects/${seed.projectId}/integrations/${seed.integrationId}/objects/contacts/config-content`,
    () => ({ groupRef: 'group-1', action: 'write', changes: [{ op: 'remove', path: '/inheritMapping' }] }),
  ],
];

interface Problem {
  status: number;
  code: string;
  detail: string;
  remedy: string;
  issues?: { in: string; name: string; detail: string }[];
}

describe.each(endpoints)('%s', (label, method, path, body) => {
  const sender = () => management.as(label === 'POST projects' ? adminKey : key)[method](path());

  /** Sends, and proves that the answer is a problem document and that nothing was written. */
  async function refused(send: () => Promise<{ status: number; type: string; body: unknown }>): Promise<Problem> {
    const before = await management.countRows();
    const reply = await send();
    expect(reply.type).toBe('application/problem+json');
    expect(await management.countRows()).toEqual(before);
    const problem = reply.body as Problem;
    expect(problem.status).toBe(reply.status);
    expect(problem.remedy).toEqual(expect.any(String));
    return problem;
  }

  const sendText = (text: string) =>
    refused(async () => await sender().set('Content-Type', 'application/json').send(text));

  it('400 a member of the wrong type, for each member', async () => {
    for (const name of Object.keys(body())) {
      for (const wrong of [null, 7.5, true, [['x']]]) {
        const problem = await sendText(JSON.stringify({ ...body(), [name]: wrong }));
        expect(problem).toMatchObject({ status: 400, code: 'request.invalid' });
        expect(problem.issues?.[0]?.name).toMatch(new RegExp(`^${name}\\b`));
      }
    }
  });
});
