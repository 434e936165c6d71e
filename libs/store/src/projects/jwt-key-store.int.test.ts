import { cloneDatabase, type ClonedDatabase, patientLimits } from '@sluice/testkit';
import type { Knex } from 'knex';
import { openDatabase } from '../database';
import { jwtKeyStore } from './jwt-key-store';

let clone: ClonedDatabase;
let database: Knex;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, applicationName: 'jwt-key-store-test', limits: patientLimits });
});
afterAll(async () => {
  await database.destroy();
  await clone.drop();
});

/** More than any test makes. */
const page = { size: 100 };
const publicKeyPem = '-----BEGIN PUBLIC KEY-----';

describe('jwtKeyStore', () => {
  it('creates, lists, changes and removes inside the project', async () => {
    const keys = jwtKeyStore(database);
    const created = await keys.create({ projectId: 'p1', label: 'browser', publicKeyPem });
    expect(created).toMatchObject({ projectId: 'p1', label: 'browser', algorithm: 'RSA', publicKeyPem, active: true });
    expect(created.updateTime).toBe(created.createTime);
    expect(await keys.listPage('p1', false, page)).toEqual({ items: [created] });
    const off = await keys.update('p1', created.id, { active: false });
    expect(off).toMatchObject({ label: 'browser', active: false });
    expect(await keys.listPage('p1', false, page)).toEqual({ items: [off] });
    expect(await keys.listPage('p1', true, page)).toEqual({ items: [] });
    expect(await keys.remove('p1', created.id)).toBe(true);
    expect(await keys.remove('p1', created.id)).toBe(false);
  });

  it("finds, changes and removes no other project's key", async () => {
    const keys = jwtKeyStore(database);
    const { id } = await keys.create({ projectId: 'p2', label: 'x', publicKeyPem });
    expect(await keys.find('p3', id)).toBeUndefined();
    expect(await keys.update('p3', id, { label: 'y' })).toBeUndefined();
    expect(await keys.remove('p3', id)).toBe(false);
    expect(await keys.find('p2', id)).toMatchObject({ label: 'x' });
  });

  it('gives a token the key that it names while that is active, whichever project it belongs to', async () => {
    const keys = jwtKeyStore(database);
    const created = await keys.create({ projectId: 'p4', label: 'x', publicKeyPem });
    expect(await keys.findNamed(created.id)).toEqual(created);
    await keys.update('p4', created.id, { active: false });
    expect(await keys.findNamed(created.id)).toBeUndefined();
  });
});
