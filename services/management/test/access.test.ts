import { openDatabase } from '@sluice/store';
import { seedInstallation, type SeededInstallation, patientLimits } from '@sluice/testkit';
import { adminKey, startManagement, type RunningManagement, type Sender } from './start-management';

let management: RunningManagement;
let seed: SeededInstallation;
beforeAll(async () => {
  management = await startManagement();
  seed = await seedInstallation(management.context.store);
});
afterAll(() => management.stop());

async function insertOperation(owner: SeededInstallation, id: string): Promise<void> {
  const database = openDatabase({
    url: management.context.config.databaseUrl,
    applicationName: 'access-test',
    limits: patientLimits,
  });
  await database('operations').insert({
    project_id: owner.projectId,
    id,
    integration_id: owner.integrationId,
    installation_id: owner.installationId,
    config_id: owner.configId,
    connection_id: owner.connectionId,
    lane_id: 'lane',
    object_name: 'contacts',
    type: 'create',
    mode: 'asynchronous',
    state: 'succeeded',
    result: 'Write completed (1 succeeded, 0 failed)',
    traceparent: '',
  });
  await database.destroy();
}

/** Endpoint, and who may use it besides `full`. */
const endpoints: readonly [keyof Sender, (s: SeededInstallation) => string, readonly string[]][] = [
  ['get', () => '/v1/projects', ['admin', 'frontend', 'read']],
  ['post', () => '/v1/projects', ['admin']],
  ['get', (s) => `/v1/projects/${s.projectId}`, ['admin', 'frontend', 'read']],
  ['patch', (s) => `/v1/projects/${s.projectId}`, ['admin', 'frontend']],
  ['get', (s) => `/v1/projects/${s.projectId}/api-keys`, ['admin', 'read']],
  ['post', (s) => `/v1/projects/${s.projectId}/api-keys`, ['admin']],
  ['delete', (s) => `/v1/projects/${s.projectId}/api-keys/nothing`, ['admin']],
  ['get', (s) => `/v1/projects/${s.projectId}/integrations`, ['frontend', 'read']],
  ['post', (s) => `/v1/projects/${s.projectId}/integrations`, ['frontend']],
  ['put', (s) => `/v1/projects/${s.projectId}/integrations:batch`, ['frontend']],
  ['post', (s) => `/v1/projects/${s.projectId}/integrations:preview`, ['frontend', 'read']],
  ['get', (s) => `/v1/projects/${s.projectId}/integrations/${s.integrationId}`, ['frontend', 'read']],
  ['get', (s) => `/v1/projects/${s.projectId}/connections`, ['frontend', 'read']],
  ['post', (s) => `/v1/projects/${s.projectId}/connections:generate`, ['frontend']],
  ['get', (s) => `/v1/projects/${s.projectId}/connections/${s.connectionId}`, ['frontend', 'read']],
  ['get', (s) => `/v1/projects/${s.projectId}/installations`, ['frontend', 'read']],
  ['get', (s) => `/v1/projects/${s.projectId}/integrations/${s.integrationId}/installations`, ['frontend', 'read']],
  ['post', (s) => `/v1/projects/${s.projectId}/integrations/${s.integrationId}/installations`, ['frontend']],
  [
    'get',
    (s) => `/v1/projects/${s.projectId}/integrations/${s.integrationId}/installations/${s.installationId}`,
    ['frontend', 'read'],
  ],
  [
    'patch',
    (s) => `/v1/projects/${s.projectId}/integrations/${s.integrationId}/installations/${s.installationId}`,
    ['frontend'],
  ],
  [
    'patch',
    (s) => `/v1/projects/${s.projectId}/integrations/${s.integrationId}/objects/contacts/config-content`,
    ['frontend'],
  ],
  ['get', (s) => `/v1/projects/${s.projectId}/operations/nothing`, ['frontend', 'read', 'write']],
  ['get', (s) => `/v1/projects/${s.projectId}/operations/nothing/records`, ['frontend', 'read', 'write']],
];

describe('401', () => {
  it.each(endpoints)('%s %s without and with a wrong key', async (method, path) => {
    for (const sender of [management.as(), management.as('sk_wrong')]) {
      const reply = await sender[method](path(seed)).expect(401);
      expect(reply.type).toBe('application/problem+json');
      expect(reply.headers['www-authenticate']).toContain('Bearer');
      expect(reply.body).toMatchObject({ code: expect.stringMatching(/^auth\./), remedy: expect.any(String) });
    }
  });
});

describe('403', () => {
  it.each(endpoints)('%s %s for every scope that is not meant', async (method, path, allowed) => {
    for (const scope of ['admin', 'frontend', 'write', 'search', 'read', 'full']) {
      const key = scope === 'admin' ? adminKey : await management.newKey(seed.projectId, [scope]);
      const reply = await management.as(key)[method](path(seed));
      const isCreatingProjects = method === 'post' && path(seed) === '/v1/projects';
      const passes = allowed.includes(scope) || (scope === 'full' && !isCreatingProjects);
      // Without a body and with made-up ids: who gets past the scope ends at 400 or 404.
      const expected = passes ? [200, 400, 404] : [403];
      expect({ scope, isExpected: expected.includes(reply.status) }).toEqual({ scope, isExpected: true });
    }
  });
});

describe("404 for another project's ids and names", () => {
  const stable = (body: object) => ({ ...body, requestId: '', instance: '', time: '' });

  it('answers every path of another project as if the project did not exist', async () => {
    const other = await management.newProject();
    const inProject = endpoints.filter(([method, path]) => method === 'get' && path(seed).includes(seed.projectId));
    for (const [method, path] of inProject) {
      const unknown = { ...seed, projectId: '0190a4c2-7b5e-7000-8000-000000000000' };
      const byName = { ...seed, projectId: seed.projectName };
      const expected = await management.as(other.key)[method](path(unknown)).expect(404);
      for (const owner of [seed, byName]) {
        const reply = await management.as(other.key)[method](path(owner)).expect(404);
        expect(stable(reply.body as object)).toEqual(stable(expected.body as object));
      }
    }
  });

  // Reliability 4.1, row 1: possession of an id grants nothing, and shows nothing.
  it("answers another project's operation byte for byte like one that never was", async () => {
    await insertOperation(seed, '0190a4c2-7b5e-7000-8000-00000000aaaa');
    const other = await management.newProject();
    const get = (id: string) => management.as(other.key).get(`/v1/projects/${other.id}/operations/${id}`).expect(404);
    const [theirs, none] = [
      await get('0190a4c2-7b5e-7000-8000-00000000aaaa'),
      await get('0190a4c2-7b5e-7000-8000-00000000bbbb'),
    ];
    expect(JSON.stringify(stable(theirs.body as object))).toBe(JSON.stringify(stable(none.body as object)));
  });
});

describe('200 GET operations/{id}', () => {
  it('returns the fields of the specification and metadata, also to a key that may only write', async () => {
    await insertOperation(seed, '0190a4c2-7b5e-7000-8000-00000000cccc');
    const key = await management.newKey(seed.projectId, ['write']);
    const path = `/v1/projects/${seed.projectName}/operations/0190a4c2-7b5e-7000-8000-00000000cccc`;
    const reply = await management.as(key).get(path).expect(200);
    expect(reply.body).toEqual({
      id: '0190a4c2-7b5e-7000-8000-00000000cccc',
      projectId: seed.projectId,
      integrationId: seed.integrationId,
      installationId: seed.installationId,
      configId: seed.configId,
      actionType: 'write',
      status: 'success',
      result: 'Write completed (1 succeeded, 0 failed)',
      createTime: expect.any(String),
      updateTime: expect.any(String),
      resource: 'contacts',
      metadata: { objects: ['contacts'] },
    });
    const records = await management.as(key).get(`${path}/records`).expect(200);
    expect(records.body).toEqual({ results: [], pagination: { done: true } });
  });
});
