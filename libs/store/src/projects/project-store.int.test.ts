import { createHash } from 'node:crypto';
import { until } from '@sluice/testkit';
import { useDatabase } from '../../test/use-database';
import { apiKeyStore } from './api-key-store';
import { projectStore } from './project-store';

const fixture = useDatabase();

/** More than any test makes. */
const page = { size: 100 };
const acme = { name: 'Acme-CRM', appName: 'Acme', orgId: 'org-1' };

describe('projectStore', () => {
  // A project named like another's id would otherwise be found instead.
  it('prefers an id over an equal name', async () => {
    const projects = projectStore(fixture.database);
    const victim = await projects.create({ ...acme, name: 'victim' });
    await projects.create({ ...acme, name: victim.id });
    expect((await projects.find(victim.id))?.name).toBe('victim');
  });
});

describe('apiKeyStore', () => {
  const secret = 'sk_0123456789abcdefghijklmnopqrstuvwxyz';

  it('[sec-6] finds by the key, lists and removes by the public id, and stores a SHA-256 of the key alone', async () => {
    const apiKeys = apiKeyStore(fixture.database);
    const created = await apiKeys.create({ projectId: 'p1', label: 'ci', scopes: ['write', 'search'], secret });
    expect(created).toMatchObject({ projectId: 'p1', label: 'ci', scopes: ['write', 'search'], active: true });
    expect(created.key).toBe(created.id);
    expect(await apiKeys.find('p1', created.id)).toEqual(created);
    expect(await apiKeys.listPage('p1', true, page)).toEqual({ items: [created] });
    expect(await apiKeys.listPage('p1', false, page)).toEqual({ items: [created] });
    expect(await apiKeys.findPresented(secret)).toEqual(created);
    const dump = JSON.stringify(
      await fixture.database('api_keys').select(fixture.database.raw(`encode(key_hash, 'escape') as hash, *`)),
    );
    expect(dump).not.toContain(secret);
    const digest = createHash('sha256').update(secret).digest();
    expect(await fixture.database('api_keys').where({ project_id: 'p1' }).pluck('key_hash')).toEqual([digest]);
    expect(await apiKeys.remove('p1', created.id)).toBe(true);
    expect(await apiKeys.remove('p1', created.id)).toBe(false);
    expect(await apiKeys.findPresented(secret)).toBeUndefined();
  });

  it('[sec-6] sends the database the digest only', async () => {
    const asked: unknown[] = [];
    const listen = ({ bindings }: { bindings: unknown[] }): void => void asked.push(...bindings);
    fixture.database.on('query', listen);
    await apiKeyStore(fixture.database).findPresented(`${secret}-unknown`);
    fixture.database.removeListener('query', listen);
    const digest = createHash('sha256').update(`${secret}-unknown`).digest();
    expect(asked.filter((value) => Buffer.isBuffer(value))).toEqual([digest]);
    expect(asked.filter((value) => typeof value === 'string' && secret.startsWith(value.slice(0, 8)))).toEqual([]);
  });

  // A lookup by digest: what two keys have in common says nothing about the time it takes to refuse one.
  it('[sec-6] does not find a key that differs in its last character, or is cut short', async () => {
    const apiKeys = apiKeyStore(fixture.database);
    await apiKeys.create({ projectId: 'p5', label: 'x', scopes: ['full'], secret: `${secret}-5` });
    for (const near of [`${secret}-6`, `${secret}-`, `${secret}-55`, ''])
      expect(await apiKeys.findPresented(near)).toBeUndefined();
  });

  // Accepts must not pay for it: what is written for a key is a row a minute, whatever its requests and processes.
  it('notes a use once a minute, and not before', async () => {
    const apiKeys = apiKeyStore(fixture.database);
    const { id } = await apiKeys.create({ projectId: 'p6', label: 'x', scopes: ['full'], secret: `${secret}-6` });
    const writes: string[] = [];
    const listen = ({ sql }: { sql: string }): void => void writes.push(...(sql.startsWith('update') ? [sql] : []));
    const lastUse = async () => (await apiKeys.find('p6', id))?.lastUseTime;
    expect(await lastUse()).toBeUndefined();
    fixture.database.on('query', listen);
    await apiKeys.findPresented(`${secret}-6`);
    const first = await until('the use is written', lastUse);
    for (let uses = 0; uses < 5; uses += 1) await apiKeys.findPresented(`${secret}-6`);
    expect(writes).toHaveLength(1);
    const twoMinutesAgo = fixture.database.raw(`now() - interval '2 minutes'`);
    await fixture.database('api_keys').where({ project_id: 'p6', id }).update({ last_used_at: twoMinutesAgo });
    const before = await lastUse();
    expect(Date.parse(before ?? '')).toBeLessThan(Date.parse(first));
    await apiKeys.findPresented(`${secret}-6`);
    await until('the later use is written', async () => ((await lastUse()) === before ? undefined : true));
    fixture.database.removeListener('query', listen);
  });

  it('does not find a key that is switched off', async () => {
    const apiKeys = apiKeyStore(fixture.database);
    const created = await apiKeys.create({ projectId: 'p4', label: 'x', scopes: ['full'], secret: `${secret}-4` });
    await fixture.database('api_keys').where({ project_id: 'p4', id: created.id }).update({ active: false });
    expect(await apiKeys.findPresented(`${secret}-4`)).toBeUndefined();
  });
});
