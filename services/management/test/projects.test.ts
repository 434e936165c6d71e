import { seedInstallation, until } from '@sluice/testkit';
import type { Project } from '@sluice/types';
import { adminKey, useManagement } from './start-management';

const management = useManagement();

const body = { name: 'Acme-Inc', appName: 'Acme', orgId: 'org-1' };

describe('201 POST /v1/projects', () => {
  it('returns the project with its name in lower case', async () => {
    const reply = await management.as(adminKey).post('/v1/projects').send(body).expect(201);
    expect(reply.type).toBe('application/json');
    expect(reply.body).toEqual({
      id: expect.any(String),
      name: 'acme-inc',
      appName: 'Acme',
      orgId: 'org-1',
      createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      dropUnmappedFields: false,
    });
  });

  it('gives its name to an organisation that is not named', async () => {
    const { orgId: _left, ...rest } = body;
    const reply = await management
      .as(adminKey)
      .post('/v1/projects')
      .send({ ...rest, name: 'No-Org' })
      .expect(201);
    expect(reply.body).toMatchObject({ name: 'no-org', orgId: 'no-org' });
  });

  it('takes the bootstrap key as a bearer token too', async () => {
    const sent = management.as().post('/v1/projects').set('Authorization', `Bearer ${adminKey}`);
    expect((await sent.send({ ...body, name: 'by-bearer' })).status).toBe(201);
  });
});

describe('200 GET /v1/projects', () => {
  it('lists all for the bootstrap key, and only its own for a project key', async () => {
    const [one, two] = [await management.newProject(), await management.newProject()];
    const all = await management.as(adminKey).get('/v1/projects').expect(200);
    expect((all.body as { id: string }[]).map(({ id }) => id)).toEqual(expect.arrayContaining([one.id, two.id]));
    const own = await management.as(one.key).get('/v1/projects').expect(200);
    expect((own.body as { id: string }[]).map(({ id }) => id)).toEqual([one.id]);
  });

  it('finds one by id, by name, and by name in another case', async () => {
    const { id, name, key } = await management.newProject(['read']);
    for (const idOrName of [id, name, name.toUpperCase()]) {
      const reply = await management.as(key).get(`/v1/projects/${idOrName}`).expect(200);
      expect(reply.body).toMatchObject({ id, name });
      expect(reply.body).not.toHaveProperty('entitlements');
    }
    const entitled = await management.as(key).get(`/v1/projects/${id}?includeEntitlements=true`).expect(200);
    expect(entitled.body).toMatchObject({ id, entitlements: { brandingRemoval: { value: true } } });
  });
});

describe('409 POST /v1/projects', () => {
  it('names the field of a name that is taken', async () => {
    await management
      .as(adminKey)
      .post('/v1/projects')
      .send({ ...body, name: 'taken' })
      .expect(201);
    const reply = await management
      .as(adminKey)
      .post('/v1/projects')
      .send({ ...body, name: 'TAKEN' })
      .expect(409);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.body).toMatchObject({ code: 'project.name-taken', detail: expect.stringContaining('name') });
  });
});

describe('400 POST /v1/projects', () => {
  it.each([['a name in the form of an id', { ...body, name: '0190a4c2-7b5e-7000-8000-000000000000' }, 'name']])(
    'names the field of %s',
    async (_case, sent, field) => {
      const before = await management.countRows();
      const reply = await management.as(adminKey).post('/v1/projects').send(sent).expect(400);
      expect(reply.body).toMatchObject({ code: 'request.invalid' });
      expect((reply.body as { issues: unknown[] }).issues[0]).toMatchObject({ in: 'body', name: field });
      expect(await management.countRows()).toEqual(before);
    },
  );
});

describe('200 PATCH P', () => {
  it('changes what the mask names, and only that', async () => {
    const { id, name, key } = await management.newProject(['frontend']);
    const before = (await management.as(key).get(`/v1/projects/${id}`).expect(200)).body as object;
    const project = { appName: 'Renamed', name: 'Other-Name', dropUnmappedFields: true };
    const one = await management
      .as(key)
      .patch(`/v1/projects/${name}`)
      .send({ updateMask: ['appName'], project });
    expect(one.status).toBe(200);
    expect(one.body).toEqual({ ...before, appName: 'Renamed', updateTime: expect.any(String) });
    const all = { updateMask: ['appName', 'name', 'dropUnmappedFields'], project };
    const reply = await management.as(key).patch(`/v1/projects/${id}`).send(all).expect(200);
    expect(reply.body).toMatchObject({ ...project, id, name: 'other-name' });
    expect((await management.as(key).get('/v1/projects/OTHER-name').expect(200)).body).toEqual(reply.body);
    await management.as(key).get(`/v1/projects/${name}`).expect(404);
  });

  it('changes nothing with an empty mask, or equal values', async () => {
    const { id, name } = await management.newProject();
    const before = (await management.as(adminKey).get(`/v1/projects/${id}`).expect(200)).body as object;
    for (const updateMask of [[], ['name', 'dropUnmappedFields']]) {
      const sent = { updateMask, project: { name, dropUnmappedFields: false } };
      const reply = await management.as(adminKey).patch(`/v1/projects/${id}`).send(sent).expect(200);
      expect(reply.body).toEqual(before);
    }
  });

  // Specification, Write records, rule 6: the preview. What is remembered of an installation is at most a second old.
  it('drops unmapped fields from writes within a second of the switch', async () => {
    const seed = await seedInstallation(management.context.store);
    const names = { ...seed, withinProjectId: seed.projectId, projectIdOrName: seed.projectId };
    const isDropping = async () => (await management.context.installations.resolve(names)).dropUnmappedFields;
    expect(await isDropping()).toBe(false);
    const sent = { updateMask: ['dropUnmappedFields'], project: { dropUnmappedFields: true } };
    await management.as(adminKey).patch(`/v1/projects/${seed.projectId}`).send(sent).expect(200);
    await until('the switch is known', async () => (await isDropping()) || undefined);
  });
});

describe('4xx PATCH P', () => {
  it.each([
    ['an unknown path', { updateMask: ['orgId'], project: {} }, 'updateMask[0]'],
    ['a path without a value', { updateMask: ['name'], project: { appName: 'x' } }, 'updateMask[0]'],
    [
      'a name in the form of an id',
      { updateMask: ['name'], project: { name: '0190a4c2-7b5e-7000-8000-000000000000' } },
      'project.name',
    ],
    ['an unknown member', { updateMask: [], project: { dropUnmappedField: true } }, 'project.dropUnmappedField'],
  ])('400 names the field of %s', async (_case, sent, field) => {
    const { id, key } = await management.newProject();
    const reply = await management.as(key).patch(`/v1/projects/${id}`).send(sent).expect(400);
    expect((reply.body as { issues: unknown[] }).issues[0]).toMatchObject({ in: 'body', name: field });
    expect((await management.as(key).get(`/v1/projects/${id}`).expect(200)).body).not.toHaveProperty('updateTime');
  });

  // A 409 would say that somebody has a project of that name.
  it('[sec-3] the name of another project is taken like one that nobody has, and each key finds its own by it', async () => {
    const [mine, theirs] = [await management.newProject(), await management.newProject()];
    const renamed = (name: string) =>
      management
        .as(mine.key)
        .patch(`/v1/projects/${mine.id}`)
        .send({ updateMask: ['name'], project: { name } });
    const [free, taken] = [await renamed('nobody-has-it').expect(200), await renamed(theirs.name).expect(200)];
    const { name: _free, updateTime: _first, ...first } = free.body as Project;
    const { name, updateTime: _second, ...second } = taken.body as Project;
    expect([name, second]).toEqual([theirs.name, first]);
    for (const { id, key } of [mine, theirs])
      expect((await management.as(key).get(`/v1/projects/${theirs.name}`).expect(200)).body).toMatchObject({ id });
    // The operator's own project is found under its name, and a name that is taken is reported to the operator.
    expect((await management.as(adminKey).get(`/v1/projects/${theirs.name}`)).body).toMatchObject({ id: theirs.id });
    const third = await management.newProject();
    const sent = { updateMask: ['name'], project: { name: theirs.name } };
    const reply = await management.as(adminKey).patch(`/v1/projects/${third.id}`).send(sent).expect(409);
    expect(reply.body).toMatchObject({ code: 'project.name-taken', detail: expect.stringContaining('name:') });
  });
});

describe('api keys', () => {
  it('201 shows the key once; afterwards there is only a public id', async () => {
    const { id } = await management.newProject();
    const keys = `/v1/projects/${id}/api-keys`;
    const created = await management
      .as(adminKey)
      .post(keys)
      .send({ label: 'ci', scopes: ['write', 'search'] })
      .expect(201);
    const made = created.body as { id: string; key: string };
    expect(created.body).toMatchObject({ projectId: id, label: 'ci', scopes: ['write', 'search'], active: true });
    // The project in front leads a router of several cells to the one that knows the key.
    const [prefix, secret] = [`sk_${id}_`, made.key.slice(-43)];
    expect(made.key).toBe(prefix + secret);
    expect(secret).toMatch(/^[\w-]{43}$/);
    const one = await management.as(adminKey).get(`${keys}/${made.id}`).expect(200);
    expect(one.body).toEqual({ ...created.body, key: made.id });
    const list = await management.as(adminKey).get(keys).expect(200);
    expect(JSON.stringify(list.body)).not.toContain(made.key);
    // The path takes the public id only: a key in an address would end up in logs.
    await management.as(adminKey).get(`${keys}/${made.key}`).expect(404);
  });

  it('has the scope full unless others are named', async () => {
    const { id } = await management.newProject();
    const reply = await management.as(adminKey).post(`/v1/projects/${id}/api-keys`).send({ label: 'x' }).expect(201);
    expect(reply.body).toMatchObject({ scopes: ['full'] });
  });

  it('204 deletes, and 404 follows', async () => {
    const { id, key } = await management.newProject();
    const keys = `/v1/projects/${id}/api-keys`;
    const created = await management.as(key).post(keys).send({ label: 'x' });
    const path = `${keys}/${(created.body as { id: string }).id}`;
    expect((await management.as(key).delete(path).expect(204)).text).toBe('');
    const again = await management.as(key).delete(path).expect(404);
    expect(again.body).toMatchObject({ code: 'api-key.not-found' });
  });

  // The published meaning: `false` does not turn the filter around, it turns it off.
  it('200 PATCH changes what the mask names and shows no key; the list filters by active', async () => {
    const { id, key } = await management.newProject();
    const path = `/v1/projects/${id}/api-keys`;
    const created = await management
      .as(key)
      .post(path)
      .send({ label: 'x', scopes: ['write'] });
    const made = created.body as { id: string };
    const sent = { updateMask: ['scopes', 'active'], apiKey: { scopes: ['read'], label: 'y', active: false } };
    const changed = await management.as(key).patch(`${path}/${made.id}`).send(sent).expect(200);
    expect(changed.body).toMatchObject({ id: made.id, key: made.id, label: 'x', scopes: ['read'], active: false });
    expect((await management.as(key).get(`${path}?active=true`).expect(200)).body).toHaveLength(1);
    expect((await management.as(key).get(`${path}?active=false`).expect(200)).body).toHaveLength(2);
  });

  it('400 PATCH names an empty mask', async () => {
    const { id, key } = await management.newProject();
    const keys = `/v1/projects/${id}/api-keys`;
    const [own] = (await management.as(key).get(keys)).body as [{ id: string }];
    const sent = { updateMask: [], apiKey: {} };
    const reply = await management.as(key).patch(`${keys}/${own.id}`).send(sent).expect(400);
    expect(reply.body).toMatchObject({ issues: [{ name: 'updateMask' }] });
  });
});
