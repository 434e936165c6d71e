import { createSecretKey, randomBytes } from 'node:crypto';
import { createStore, openDatabase, type Store } from '@sluice/store';
import { cloneDatabase, seedInstallation, type ClonedDatabase, patientLimits } from '@sluice/testkit';
import { resealSecrets, type ResealProgress } from './reseal-secrets';
import { sealValue, unsealValue } from './live-credentials';

const ring = new Map(['k1', 'k2'].map((id) => [id, createSecretKey(randomBytes(32))]));
const keyRingOf = (currentId: string) => ({ currentId, key: (id: string) => ring.get(id) });
const before = keyRingOf('k1');
const after = keyRingOf('k2');

let clone: ClonedDatabase;
let store: Store;
let database: ReturnType<typeof openDatabase>;
beforeEach(async () => {
  clone = await cloneDatabase();
  store = createStore({ url: clone.url, applicationName: 'reseal-test', limits: patientLimits });
  database = openDatabase({ url: clone.url, poolMax: 2, applicationName: 'reseal-test', limits: patientLimits });
});
afterEach(async () => {
  await database.destroy();
  await store.close();
  await clone.drop();
});

interface Named {
  readonly projectId: string;
  readonly connectionId: string;
}

/** Connections of one project, sealed with the key of before. */
async function connect(count: number): Promise<Named[]> {
  const seal = (id: string) => sealValue(before, { noun: 'connection', id }, { accessToken: 'token-0' });
  const { projectId, connectionId } = await seedInstallation(store, { seal });
  const named = [{ projectId, connectionId }];
  while (named.length < count) {
    const group = { projectId, groupRef: `g${named.length}`, consumerRef: 'anna' };
    const { id } = await store.connections.create({ ...group, provider: 'hubspot', authScheme: 'apiKey', seal });
    named.push({ projectId, connectionId: id });
  }
  return named;
}

const register = (projectId: string) => {
  const seal = (id: string) => sealValue(before, { noun: 'provider app', id }, 'client-secret');
  return store.providerApps.create({ projectId, provider: 'hubspot', clientId: 'c', seal });
};
const stored = async ({ projectId, connectionId }: Named) => {
  const row = await store.connections.findCredentials(projectId, connectionId);
  if (row === undefined) throw new Error('the connection is gone');
  return row;
};
const reseal = (onProgress?: (progress: ResealProgress) => void) =>
  resealSecrets({ store, keyring: after, ...(onProgress && { onProgress }) });

// A key that leaked leaves the ring without a pause of the service, and without a token lost.
it('[sec-42] seals everything again while tokens are refreshed, and overwrites none of them', async () => {
  const named = await connect(250);
  const [first] = named;
  const app = await register(first?.projectId ?? '');
  const isDone = { value: false };
  const refreshed = new Map<string, number>();
  // Another process, which does not know of the new key yet, goes on refreshing.
  const refreshing = (async () => {
    for (let n = 0; !isDone.value || n < 300; n += 1) {
      const one: Named | undefined = named[n % named.length];
      if (one === undefined) break;
      const { tokenVersion } = await stored(one);
      const credentials = { accessToken: `token-${tokenVersion}` };
      const sealed = sealValue(n % 2 === 0 ? before : after, { noun: 'connection', id: one.connectionId }, credentials);
      expect(await store.connections.saveTokens({ ...one, tokenVersion, sealed })).toBe(true);
      refreshed.set(one.connectionId, tokenVersion);
      if (n > 5_000) break;
    }
  })();
  const progress: ResealProgress[] = [];
  await reseal((each) => progress.push(each));
  isDone.value = true;
  await refreshing;
  expect(progress.length).toBeGreaterThanOrEqual(3);
  // What the old process sealed with the old key meanwhile is left for the next run.
  const second = await reseal();
  expect(second).toMatchObject([
    { noun: 'connection', unreadable: [], left: 0 },
    { noun: 'provider app', unreadable: [], left: 0 },
    { noun: 'webhook endpoint', unreadable: [], left: 0 },
  ]);
  const onlyNew = { currentId: 'k2', key: (id: string) => (id === 'k2' ? ring.get(id) : undefined) };
  for (const one of named) {
    const { sealed } = await stored(one);
    const token = `token-${refreshed.get(one.connectionId) ?? 0}`;
    expect(unsealValue(onlyNew, { noun: 'connection', id: one.connectionId }, sealed)).toEqual({ accessToken: token });
  }
  const client = await store.providerApps.findClient(first?.projectId ?? '', 'hubspot', app.id);
  expect(unsealValue(onlyNew, { noun: 'provider app', id: app.id }, client?.sealed ?? '')).toBe('client-secret');
});

it('goes on where it was stopped', async () => {
  await connect(150);
  const stop = new Error('stopped');
  await expect(
    reseal(() => {
      throw stop;
    }),
  ).rejects.toBe(stop);
  expect(await store.sealedSecrets.countOthers('connection', 'k2')).toBe(50);
  expect(await reseal()).toMatchObject([{ resealed: 50, overtaken: 0, left: 0 }, { resealed: 0 }, { resealed: 0 }]);
});

it('never overwrites a newer ciphertext with an old one', async () => {
  const [one] = (await connect(1)) as [Named];
  const [read] = await store.sealedSecrets.listOthers('connection', 'k2', 10);
  if (read === undefined) throw new Error('nothing to seal');
  const fresh = sealValue(before, { noun: 'connection', id: one.connectionId }, { accessToken: 'fresh' });
  await store.connections.saveTokens({ ...one, tokenVersion: 1, sealed: fresh });
  expect(
    await store.sealedSecrets.replace(read, sealValue(after, { noun: 'connection', id: one.connectionId }, {})),
  ).toBe(false);
  expect((await stored(one)).sealed).toBe(fresh.text);
});

it('[sec-42] leaves what it cannot open as it is, and names it without a secret', async () => {
  const [one, other] = (await connect(2)) as [Named, Named];
  // Somebody swapped two rows' ciphertexts.
  const row = { project_id: one.projectId, id: one.connectionId };
  const swapped = (await stored(other)).sealed;
  await database('connections').where(row).update({ sealed_credentials: swapped });
  const [summary] = await reseal();
  expect(summary).toMatchObject({ resealed: 1, left: 1, unreadable: [{ id: one.connectionId }] });
  expect(JSON.stringify(summary)).not.toContain('token-0');
  expect((await stored(one)).sealed).toBe(swapped);
});
