import { createHash } from 'node:crypto';
import { ConflictError } from '@sluice/errors';
import { cloneDatabase, type ClonedDatabase, patientLimits } from '@sluice/testkit';
import type { Knex } from 'knex';
import { openDatabase } from '../database';
import { apiKeyStore } from './api-key-store';
import { projectStore } from './project-store';

let clone: ClonedDatabase;
let database: Knex;

beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, applicationName: 'project-store-test', limits: patientLimits });
});

afterAll(async () => {
  await database.destroy();
  await clone.drop();
});

/** More than any test makes. */
const page = { size: 100 };
const acme = { name: 'Acme-CRM', appName: 'Acme', orgId: 'org-1' };

describe('projectStore', () => {
  it('creates in lower case and finds by id and by name in any case', async () => {
    const projects = projectStore(database);
    const created = await projects.create(acme);
    expect(created).toEqual({
      id: expect.any(String),
      name: 'acme-crm',
      appName: 'Acme',
      orgId: 'org-1',
      createTime: expect.any(String),
      dropUnmappedFields: false,
    });
    expect(new Date(created.createTime).toISOString()).toBe(created.createTime);
    expect(await projects.find(created.id)).toEqual(created);
    expect(await projects.find('ACME-crm')).toEqual(created);
  });

  it('refuses a name that is taken, in any case', async () => {
    const projects = projectStore(database);
    await projects.create({ ...acme, name: 'taken' });
    const again = projects.create({ ...acme, name: 'TAKEN' });
    await expect(again).rejects.toThrow(ConflictError);
    await expect(again).rejects.toMatchObject({ code: 'project.name-taken', detail: expect.stringContaining('TAKEN') });
  });

  // A project named like another's id would otherwise be found instead.
  it('prefers an id over an equal name', async () => {
    const projects = projectStore(database);
    const victim = await projects.create({ ...acme, name: 'victim' });
    await projects.create({ ...acme, name: victim.id });
    expect((await projects.find(victim.id))?.name).toBe('victim');
  });

  it('shows another project to nobody', async () => {
    const projects = projectStore(database);
    const mine = await projects.create({ ...acme, name: 'mine' });
    const theirs = await projects.create({ ...acme, name: 'theirs' });
    expect(await projects.find(theirs.id, mine.id)).toBeUndefined();
    expect(await projects.find('theirs', mine.id)).toBeUndefined();
    expect(await projects.listPage(mine.id, page)).toEqual({ items: [mine] });
    expect((await projects.listPage(undefined, page)).items.map((project) => project.id)).toEqual(
      expect.arrayContaining([mine.id, theirs.id]),
    );
  });

  it('updates what is given, and moves the time only for a difference', async () => {
    const projects = projectStore(database);
    const created = await projects.create({ ...acme, name: 'before' });
    const changed = await projects.update(created.id, { name: 'After', dropUnmappedFields: true });
    const { updateTime, ...rest } = changed ?? {};
    expect(rest).toEqual({ ...created, name: 'after', dropUnmappedFields: true });
    expect(updateTime).toEqual(expect.any(String));
    expect(await projects.update(created.id, { name: 'AFTER', appName: 'Acme', dropUnmappedFields: true })).toEqual(
      changed,
    );
    expect(await projects.update(created.id, {})).toEqual(changed);
    expect(await projects.find('after')).toEqual(changed);
    expect(await projects.find('before')).toBeUndefined();
    expect(await projects.update('nothing', { appName: 'x' })).toBeUndefined();
  });

  it('does not take the name of another project', async () => {
    const projects = projectStore(database);
    await projects.create({ ...acme, name: 'theirs-2' });
    const mine = await projects.create({ ...acme, name: 'mine-2' });
    await expect(projects.update(mine.id, { name: 'THEIRS-2' })).rejects.toMatchObject({ code: 'project.name-taken' });
    expect(await projects.find(mine.id)).toEqual(mine);
  });
});

describe('apiKeyStore', () => {
  const secret = 'sk_0123456789abcdefghijklmnopqrstuvwxyz';

  it('[sec-6] finds by the key, lists and removes by the public id, and stores a SHA-256 of the key alone', async () => {
    const apiKeys = apiKeyStore(database);
    const created = await apiKeys.create({ projectId: 'p1', label: 'ci', scopes: ['write', 'search'], secret });
    expect(created).toMatchObject({ projectId: 'p1', label: 'ci', scopes: ['write', 'search'], active: true });
    expect(created.key).toBe(created.id);
    expect(await apiKeys.findPresented(secret)).toEqual(created);
    expect(await apiKeys.find('p1', created.id)).toEqual(created);
    expect(await apiKeys.listPage('p1', true, page)).toEqual({ items: [created] });
    expect(await apiKeys.listPage('p1', false, page)).toEqual({ items: [created] });
    const dump = JSON.stringify(
      await database('api_keys').select(database.raw(`encode(key_hash, 'escape') as hash, *`)),
    );
    expect(dump).not.toContain(secret);
    const digest = createHash('sha256').update(secret).digest();
    expect(await database('api_keys').where({ project_id: 'p1' }).pluck('key_hash')).toEqual([digest]);
    expect(await apiKeys.remove('p1', created.id)).toBe(true);
    expect(await apiKeys.remove('p1', created.id)).toBe(false);
    expect(await apiKeys.findPresented(secret)).toBeUndefined();
  });

  it('[sec-6] sends the database the digest only', async () => {
    const asked: unknown[] = [];
    const listen = ({ bindings }: { bindings: unknown[] }): void => void asked.push(...bindings);
    database.on('query', listen);
    await apiKeyStore(database).findPresented(`${secret}-unknown`);
    database.removeListener('query', listen);
    const digest = createHash('sha256').update(`${secret}-unknown`).digest();
    expect(asked.filter((value) => Buffer.isBuffer(value))).toEqual([digest]);
    expect(asked.filter((value) => typeof value === 'string' && secret.startsWith(value.slice(0, 8)))).toEqual([]);
  });

  // A lookup by digest: what two keys have in common says nothing about the time it takes to refuse one.
  it('[sec-6] does not find a key that differs in its last character, or is cut short', async () => {
    const apiKeys = apiKeyStore(database);
    await apiKeys.create({ projectId: 'p5', label: 'x', scopes: ['full'], secret: `${secret}-5` });
    for (const near of [`${secret}-6`, `${secret}-`, `${secret}-55`, ''])
      expect(await apiKeys.findPresented(near)).toBeUndefined();
  });

  it('changes what is given and leaves the rest', async () => {
    const apiKeys = apiKeyStore(database);
    const { id } = await apiKeys.create({ projectId: 'p6', label: 'x', scopes: ['full'], secret: `${secret}-6` });
    expect(await apiKeys.update('p6', id, { scopes: ['read'] })).toMatchObject({ label: 'x', scopes: ['read'] });
    expect(await apiKeys.update('p6', id, { label: 'y', active: false })).toMatchObject({
      label: 'y',
      scopes: ['read'],
      active: false,
    });
    expect(await apiKeys.listPage('p6', true, page)).toEqual({ items: [] });
    expect((await apiKeys.listPage('p6', false, page)).items).toHaveLength(1);
    expect(await apiKeys.update('p7', id, { label: 'z' })).toBeUndefined();
  });

  it('keeps to the project', async () => {
    const apiKeys = apiKeyStore(database);
    const created = await apiKeys.create({ projectId: 'p2', label: 'x', scopes: ['full'], secret: `${secret}-2` });
    expect(await apiKeys.find('p3', created.id)).toBeUndefined();
    expect(await apiKeys.remove('p3', created.id)).toBe(false);
    expect(await apiKeys.listPage('p3', false, page)).toEqual({ items: [] });
  });

  it('does not find a key that is switched off', async () => {
    const apiKeys = apiKeyStore(database);
    const created = await apiKeys.create({ projectId: 'p4', label: 'x', scopes: ['full'], secret: `${secret}-4` });
    await database('api_keys').where({ project_id: 'p4', id: created.id }).update({ active: false });
    expect(await apiKeys.findPresented(`${secret}-4`)).toBeUndefined();
  });
});
