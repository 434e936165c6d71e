import { sampleConfig, sampleManifest, seedInstallation, type SeededInstallation } from '@sluice/testkit';
import { adminKey, startManagement, type RunningManagement, type Sender } from './start-management';

let management: RunningManagement;
let seed: SeededInstallation;
let key: string;
beforeAll(async () => {
  management = await startManagement();
  seed = await seedInstallation(management.context.store);
  key = await management.newKey(seed.projectId, ['full']);
});
afterAll(() => management.stop());

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

  it('400 malformed JSON, with the place', async () => {
    const problem = await sendText('{"name": ');
    expect(problem).toMatchObject({
      status: 400,
      code: 'request.malformed-json',
      detail: expect.stringMatching(/line 1/),
    });
  });

  it('400 a list, a text and null in place of an object', async () => {
    for (const text of ['[]', '"text"', 'null', '7']) {
      expect(await sendText(text)).toMatchObject({ status: 400, code: 'request.invalid', issues: [{ in: 'body' }] });
    }
  });

  it('400 a member of the wrong type, for each member', async () => {
    for (const name of Object.keys(body())) {
      for (const wrong of [null, 7.5, true, [['x']]]) {
        const problem = await sendText(JSON.stringify({ ...body(), [name]: wrong }));
        expect(problem).toMatchObject({ status: 400, code: 'request.invalid' });
        expect(problem.issues?.[0]?.name).toMatch(new RegExp(`^${name}\\b`));
      }
    }
  });

  it('400 an unknown field, with the nearest known one', async () => {
    const [[first, value], ...others] = Object.entries(body()) as [[string, unknown], ...[string, unknown][]];
    const problem = await sendText(JSON.stringify({ [`${first}s`]: value, ...Object.fromEntries(others) }));
    const issue = problem.issues?.find(({ name }) => name === `${first}s`);
    expect(issue?.detail).toContain(first);
  });

  it('400 a field that reaches into a prototype, and a field twice', async () => {
    const text = JSON.stringify(body());
    expect(await sendText(`{"__proto__": {"x": 1}, ${text.slice(1)}`)).toMatchObject({ status: 400 });
    const [first = ''] = Object.keys(body());
    expect(await sendText(`{"${first}": "x", ${text.slice(1)}`)).toMatchObject({ status: 400 });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('413 a body over the limit', async () => {
    const problem = await sendText(JSON.stringify({ ...body(), padding: 'x'.repeat(1_100_000) }));
    expect(problem).toMatchObject({ status: 413, code: 'request.body-too-large' });
  });

  it('415 another content type', async () => {
    const problem = await refused(async () => await sender().set('Content-Type', 'text/plain').send('x'));
    expect(problem).toMatchObject({ status: 415, code: 'request.content-type' });
  });
});

describe('addresses', () => {
  it('400 a query parameter twice or unknown', async () => {
    const path = `/v1/projects/${seed.projectId}/installations`;
    for (const [query, name] of [
      ['groupRef=a&groupRef=b', 'groupRef'],
      ['groupref=a', 'groupref'],
      ['groupRef[]=a', '["groupRef[]"]'],
      ['groupRef=', 'groupRef'],
      ['active=x', 'active'],
    ]) {
      const reply = await management.as(key).get(`${path}?${query}`).expect(400);
      expect(reply.body).toMatchObject({ issues: [{ in: 'query', name }] });
    }
  });

  it('404 an unknown path, and 405 with Allow for another method', async () => {
    expect((await management.as(key).get('/v1/nothing').expect(404)).body).toMatchObject({
      code: 'request.path-unknown',
    });
    const reply = await management.as(key).delete('/v1/projects').expect(405);
    expect(reply.headers['allow']).toBe('GET, POST, HEAD, OPTIONS');
  });

  it('404, never 500, for odd ids', async () => {
    for (const id of ["'; drop table projects; --", '%F0%9F%92%A9', '..', 'a'.repeat(3_000), '%25', '\u202e']) {
      const reply = await management.as(key).get(`/v1/projects/${encodeURIComponent(id)}/installations`);
      expect(reply.status).toBe(404);
    }
    expect((await management.as(key).get('/v1/projects/%00/installations')).status).toBe(400);
    expect((await management.as(key).get('/v1/projects/%zz/installations')).status).toBe(400);
  });
});
