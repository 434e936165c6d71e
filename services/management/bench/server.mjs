// One process with what is measured: a management service on a database of its own, and the bare Express handler beside it.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { silentLogger } from '@sluice/telemetry';
import { cloneDatabase, sampleManifest, seedInstallation } from '@sluice/testkit';
import { createContext, createManagementService, managementEnv } from '@sluice/management';

// Express belongs to libs/http: the baseline takes the very same one.
const express = createRequire(import.meta.resolve('@sluice/http'))('express');
const installations = 1_000;

const clone = await cloneDatabase();
const config = managementEnv.read({
  DATABASE_URL: clone.url,
  SLUICE_PORT: '0',
  SLUICE_METRICS_PORT: '0',
  SLUICE_HOST: '127.0.0.1',
  SLUICE_CREDENTIALS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  SLUICE_ADMIN_KEY: 'bootstrap-key-of-the-benchmark',
});
const context = createContext(config, { logger: silentLogger });
const service = createManagementService(context);
const { port } = await service.start();
const seed = await seedOne();

const operation = await (await fetch(`${seed.project}/operations/${seed.operationId}`, seed)).text();
const bare = express();
bare.get('/v1/projects/:projectIdOrName/operations/:operationId', (_req, res) => res.json(JSON.parse(operation)));
const listener = bare.listen(0, '127.0.0.1', () => {
  process.send({ ...seed, bare: `http://127.0.0.1:${listener.address().port}/v1/projects/p/operations/o` });
});
process.once('message', () => void stop());

async function stop() {
  listener.closeAllConnections();
  listener.close();
  await service.stop();
  await clone.drop();
  process.disconnect();
}

async function seedOne() {
  const { store } = context;
  const first = await seedInstallation(store, { manifest: sampleManifest() });
  const { projectId, integrationId, revisionId } = first;
  for (let n = 1; n < installations; n += 1) {
    const groupRef = `group-${n + 1}`;
    const owner = { projectId, groupRef, consumerRef: `user-${n}` };
    const account = { provider: 'hubspot', authScheme: 'apiKey', reportedAccountRef: `${n}` };
    const sealed = { seal: () => ({ text: 'unreadable', keyId: 'none' }) };
    const connection = await store.connections.create({ ...owner, ...account, ...sealed });
    const content = { provider: 'hubspot', write: { objects: { contacts: { objectName: 'contacts' } } } };
    const names = { projectId, integrationId, groupRef, connectionId: connection.id, createdBy: `consumer:user-${n}` };
    await store.installations.create({ ...names, config: { revisionId, content, createdBy: 'builder:bench' } });
  }
  const secret = randomBytes(16).toString('hex');
  const key = await store.apiKeys.create({ projectId, label: 'bench', scopes: ['full'], secret });
  const operationId = await acceptOne(first, key.key);
  const project = `http://127.0.0.1:${port}/v1/projects/${projectId}`;
  return { project, operationId, integrationId, headers: { 'x-api-key': secret } };
}

async function acceptOne(installed, keyId) {
  const names = { withinProjectId: installed.projectId, projectIdOrName: installed.projectId, ...installed };
  const { ids } = await context.store.installationLookup.findIds(names);
  const opened = {
    projectId: installed.projectId,
    id: installed.configId,
    integrationId: installed.integrationId,
    laneId: ids.laneId,
    objectName: 'contacts',
    type: 'create',
    mode: 'asynchronous',
    allOrNone: false,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    pins: { ...installed, keyId },
  };
  const records = [{ index: 0, callNumber: 1, headersKey: '', plan: '{}', retryMs: 3_600_000 }];
  await context.store.writes.accept([{ operation: opened, records }]);
  return opened.id;
}
