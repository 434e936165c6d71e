import type { Config, ConfigVersion, Installation } from '@sluice/types';
import { prepareInstallation, type PreparedInstallation } from './prepare-installation';
import { useManagement } from './start-management';

const management = useManagement();
let prepared: PreparedInstallation;
beforeEach(async () => {
  prepared = await prepareInstallation(management);
});

const list = async (query = '') => await prepared.send.get(`${prepared.path}/configs${query}`).expect(200);
const get = async (configId: string) =>
  (await prepared.send.get(`${prepared.path}/configs/${configId}`).expect(200)).body as ConfigVersion;
const restore = (configId: string) => prepared.send.post(`${prepared.path}/configs/${configId}:restore`);
/** Changes the deals object; the id of the config that this made. */
const change = async (settings: object): Promise<string> => {
  const deals = { objectName: 'deals', ...settings };
  const config = { content: { write: { objects: { deals } } } };
  const reply = await prepared.patch(['config.content.write.objects.deals'], { config }).expect(200);
  return (reply.body as Installation).config.id;
};

describe('200 GET configs', () => {
  it('lists every change, newest first, with who and when', async () => {
    const second = await change({ inheritMapping: true });
    const third = await change({ inheritMapping: false });
    const configs = (await list()).body as Config[];
    expect(configs.map(({ id }) => id)).toEqual([third, second, prepared.seed.configId]);
    expect(configs[0]).toEqual({ ...(await prepared.get()).config, createdByLabel: 'test' });
    expect(configs[2]).toMatchObject({ createdBy: 'builder:seed', revisionId: prepared.seed.revisionId });
    // Whoever has no name here has no label.
    expect(configs[2]).not.toHaveProperty('createdByLabel');
  });
});

describe('200 GET configs/{configId}', () => {
  it('says what it changed, as a JSON Patch relative to the content', async () => {
    const second = await change({ inheritMapping: true });
    const third = await change({ deletionSettings: { enabled: true } });
    expect(await get(third)).toMatchObject({
      id: third,
      previousConfigId: second,
      changes: [
        { op: 'remove', path: '/write/objects/deals/inheritMapping' },
        { op: 'add', path: '/write/objects/deals/deletionSettings', value: { enabled: true } },
      ],
    });
  });

  it('is without changes for the first', async () => {
    await change({ inheritMapping: true });
    const first = await get(prepared.seed.configId);
    expect(first).not.toHaveProperty('changes');
    expect(first).not.toHaveProperty('previousConfigId');
  });

  // Operations name the config they ran under: it must be found however much was changed, or deleted, since.
  it('answers after the installation was deleted', async () => {
    const second = await change({ inheritMapping: true });
    await prepared.send.delete(prepared.path).expect(204);
    expect(await get(second)).toMatchObject({ id: second, previousConfigId: prepared.seed.configId });
    expect((await list()).body).toHaveLength(2);
    await restore(second).expect(404);
  });
});

describe('200 POST configs/{configId}:restore', () => {
  it('makes a new config with the old content, by the caller', async () => {
    const changed = await change({ inheritMapping: true });
    const before = await get(prepared.seed.configId);
    const installation = (await restore(prepared.seed.configId).expect(200)).body as Installation;
    expect(installation.config.content).toEqual(before.content);
    expect([changed, prepared.seed.configId]).not.toContain(installation.config.id);
    expect(installation.config.createdBy).toMatch(/^builder:[0-9a-f-]{36}$/);
    expect(await prepared.get()).toEqual(installation);
    expect(await get(installation.config.id)).toMatchObject({
      previousConfigId: changed,
      changes: [{ op: 'remove', path: '/write/objects/deals' }],
    });
  });

  it('makes none when that content is in force', async () => {
    const installation = (await restore(prepared.seed.configId).expect(200)).body as Installation;
    expect(installation.config.id).toBe(prepared.seed.configId);
    expect((await list()).body).toHaveLength(1);
  });
});

// Two people look at one config: whoever is second decided on something that is no longer there.
describe('409 of a change that names the config it was decided on', () => {
  it('is refused when another one is in force, and leaves that as it is', async () => {
    const first = prepared.seed.configId;
    const second = await change({ inheritMapping: true });
    const third = await change({ inheritMapping: false });
    const { body } = await restore(first).query({ ifConfigId: second }).expect(409);
    expect(body).toMatchObject({ code: 'config.superseded', remedy: expect.stringContaining('Read the installation') });
    expect((body as { detail: string }).detail).toContain(third);
    const config = { content: { write: { objects: { deals: { objectName: 'deals', inheritMapping: true } } } } };
    const update = { updateMask: ['config.content.write.objects.deals'], installation: { config } };
    await prepared.send.patch(prepared.path).query({ ifConfigId: second }).send(update).expect(409);
    expect((await prepared.get()).config.id).toBe(third);
  });

  it('is carried out while that one is in force', async () => {
    const second = await change({ inheritMapping: true });
    const { body } = await restore(prepared.seed.configId).query({ ifConfigId: second }).expect(200);
    expect((body as Installation).config.id).not.toBe(second);
  });

  it('of two at once one is refused', async () => {
    const [first, second] = [prepared.seed.configId, await change({ inheritMapping: true })];
    const statuses = await Promise.all(
      [1, 2].map(async () => (await restore(first).query({ ifConfigId: second })).status),
    );
    expect(statuses.toSorted((one, another) => one - another)).toEqual([200, 409]);
  });
});
