import { createSecretKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStore, openDatabase } from '@sluice/store';
import { cloneDatabase, patientLimits, seedInstallation } from '@sluice/testkit';
import { assertKeyRingComplete } from './assert-key-ring-complete';
import { sealValue } from './live-credentials';

const keys = new Map(['k1', 'k2'].map((id) => [id, createSecretKey(randomBytes(32))]));
const keyRingOf = (...ids: [string, ...string[]]) => ({
  currentId: ids[0],
  key: (id: string) => (ids.includes(id) ? keys.get(id) : undefined),
});

/** The statements of "A key that is lost", as the page shows them. */
function statementsOfTheGuide(): string {
  const page = readFileSync(join(__dirname, '../../../docs/guides/operate.md'), 'utf8');
  const [, statements] = /^### A key that is lost\n[^#]*?```sql\n(.*?)```$/ms.exec(page) ?? [];
  if (statements === undefined) throw new Error('operate.md shows no statements for a key that is lost');
  return statements;
}

// The page is read when nothing starts any more: a kind of secret that it forgets keeps every service down.
it('[sec-42] starts again after the statements that the operator guide gives for a lost key', async () => {
  const clone = await cloneDatabase();
  const limits = patientLimits;
  const store = createStore({ url: clone.url, applicationName: 'ring-test', limits });
  const database = openDatabase({ url: clone.url, poolMax: 1, applicationName: 'ring-test', limits });
  try {
    const lost = keyRingOf('k1');
    const seal = (id: string) => sealValue(lost, { noun: 'connection', id }, { accessToken: 'token' });
    const { projectId } = await seedInstallation(store, { seal });
    const sealApp = (id: string) => sealValue(lost, { noun: 'provider app', id }, 'client-secret');
    await store.providerApps.create({ projectId, provider: 'hubspot', clientId: 'c', seal: sealApp });
    const sealEndpoint = (id: string) => sealValue(lost, { noun: 'webhook endpoint', id }, { current: 'whsec_1' });
    const endpoint = { projectId, url: 'https://app.example.com/', eventTypes: [], max: 20 };
    await store.webhookEndpoints.create({ ...endpoint, seal: sealEndpoint });

    const left = keyRingOf('k2');
    await expect(assertKeyRingComplete(store, left)).rejects.toThrow(
      /1 connection is.*1 provider app is.*1 webhook endpoint/s,
    );
    await database.raw(statementsOfTheGuide());
    await assertKeyRingComplete(store, left);
    expect(await store.connections.findNewest(projectId, {})).toMatchObject({ status: 'bad_credentials' });
  } finally {
    await database.destroy();
    await store.close();
    await clone.drop();
  }
});
