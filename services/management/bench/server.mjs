// One process with what is measured: a management service on a database of its own, and the bare Express handler beside it.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { openDatabase } from '@sluice/store';
import { silentLogger } from '@sluice/telemetry';
import { cloneDatabase, patientLimits, sampleManifest, seedInstallation } from '@sluice/testkit';
import { createContext, createManagementService, managementEnv } from '@sluice/management';

// Express belongs to libs/http: the baseline takes the very same one.
const express = createRequire(import.meta.resolve('@sluice/http'))('express');
const installations = 1_000;
/** Beside the one that is accepted: one a minute before it, each thousandth with a record that failed. */
const operations = 200_000;

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
  await copyOperation(operationId);
  const project = `http://127.0.0.1:${port}/v1/projects/${projectId}`;
  const { installationId } = first;
  return { project, operationId, integrationId, installationId, headers: { 'x-api-key': secret } };
}

/** Copies of one operation with one record, as ended ones. */
async function copyOperation(operationId) {
  const database = openDatabase({ url: clone.url, poolMax: 1, applicationName: 'bench', limits: patientLimits });
  try {
    await database.raw(
      `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type,
                               mode, state, result, records_total, records_succeeded, records_failed, traceparent, created_at)
       select project_id, substr(v7, 1, 8) || '-' || substr(v7, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'), integration_id,
              installation_id, config_id, connection_id, lane_id, object_name, type, mode, 'succeeded', 'Number ' || n, 2, 1,
              case when n % 1000 = 0 then 1 else 0 end, traceparent, moment
       from (select o.*, n, o.created_at - n * interval '1 minute' as moment,
                    lpad(to_hex((extract(epoch from o.created_at - n * interval '1 minute') * 1000)::bigint), 12, '0') as v7
             from operations o, generate_series(1, ?::integer) n where o.id = ?) made`,
      [operations, operationId],
    );
    await database.raw(
      `insert into records (project_id, operation_id, record_index, ref, accept_seq, traceparent, config_id, retry_ms)
       select project_id, id, 0, 'row-' || id, 1, traceparent, config_id, 1
       from operations where id <> ?`,
      [operationId],
    );
    await database.raw(
      `insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, provider_ids)
       select project_id, id, 1, 1, 'succeeded', '{0}', array['crm-' || id] from operations where id <> ?`,
      [operationId],
    );
    await database.raw('vacuum analyze operations, records, outcomes');
  } finally {
    await database.destroy();
  }
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
  const records = [
    { index: 0, callNumber: 1, headersKey: '', plan: '{"objectName":"contacts","fields":{}}', retryMs: 3_600_000 },
  ];
  await context.store.writes.accept([{ operation: opened, records }]);
  return opened.id;
}
