import { generateKeyPairSync } from 'node:crypto';
import type { Target } from './endpoints';

/** Query and body of a request that succeeds, or is refused for what it asks and not for its form. */
export interface ValidRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' });

/**
 * Requests that mean something, by operation; the others are sampled from the document. Those that change something ask for
 * what already holds, or for something beside the customer of the run.
 */
export function validRequests(target: Target): Readonly<Record<string, readonly ValidRequest[]>> {
  return { ...writesAndSearches(target), ...configChanges(target), ...others(target) };
}

function writesAndSearches({ groupRef, words }: Target): Record<string, ValidRequest[]> {
  const { people, email, lastname, absentId: id } = words;
  const record = { [email]: 'hostile@example.com', [lastname]: 'Müller' };
  const one = { groupRef, type: 'create', record };
  const later = { ...one, mode: 'asynchronous' };
  const associations = [
    { to: { id: '1' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }] },
  ];
  return {
    writeRecords: [
      { body: one },
      { body: { ...later, retryPolicy: { deadlineHours: 1 } } },
      { body: { ...later, autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: 1 } } },
      { body: { groupRef, type: 'create', batch: [{ record }, { record }], batchPolicy: { allOrNone: false } } },
      { body: { groupRef, type: 'update', record: { id, [lastname]: 'M' } } },
      { body: { groupRef, type: 'delete', record: { id } } },
      { query: { dryRun: 'true' }, body: one },
      { body: { ...one, associations, headers: [{ key: 'Sforce-Auto-Assign', value: 'FALSE' }] } },
    ],
    searchRecords: [
      {
        query: { groupRef },
        body: { objectName: people, fieldFilters: [{ fieldName: email, operator: 'eq', value: 'a@example.com' }] },
      },
    ],
  };
}

function configChanges({ groupRef, words }: Target): Record<string, ValidRequest[]> {
  const { provider } = words;
  const content = { provider, write: { objects: { others: { objectName: 'others' } } } };
  const updateMask = ['config.content.write.objects.others'];
  const changes = [{ op: 'add', path: '/deletionSettings', value: { enabled: false } }];
  return {
    updateInstallation: [{ body: { updateMask, installation: { config: { content } } } }],
    patchObjectConfig: [{ body: { groupRef, action: 'write', changes } }],
    createInstallation: [{ body: { groupRef: 'nobody', config: { content } } }],
  };
}

function others({ groupRef, words: { provider } }: Target): Record<string, ValidRequest[]> {
  const named = { groupRef: 'g9', consumerRef: 'c9', provider };
  const integration = { specVersion: '1.0.0', integrations: [{ name: 'beside', provider }] };
  return {
    listInstallations: [{ query: { groupRef } }, { query: { pageSize: '1' } }],
    listConnections: [{ query: { groupRef } }],
    getObjectMetadataForInstallation: [{ query: { groupRef } }],
    getObjectMetadataForConnection: [{ query: { groupRef } }],
    generateConnection: [{ body: { ...named, apiKey: 'pat-na1-wrong', providerWorkspaceRef: 'acme' } }],
    updateProject: [{ body: { updateMask: ['appName'], project: { appName: 'black box' } } }],
    // Another member would take the credentials of the run's customer away.
    updateConnection: [{ body: { updateMask: ['providerMetadata'], connection: { providerMetadata: {} } } }],
    createIntegration: [
      {
        body: {
          name: 'beside',
          provider,
          latestRevision: { specVersion: '1.0.0', content: { name: 'beside', provider } },
        },
      },
    ],
    createWebhookEndpoint: [{ body: { url: 'https://localhost:1/', eventTypes: ['write.async.done'] } }],
    updateWebhookEndpoint: [{ body: { updateMask: ['description'], webhookEndpoint: { description: 'x' } } }],
    createJwtKey: [{ body: { label: 'beside', algorithm: 'RS256', publicKeyPem } }],
    generateUploadUrl: [{ query: { md5: '1B2M2Y8AsgTpgAmY7PhCfg==' } }],
    deployManifest: [
      { body: { sourceYaml: JSON.stringify(integration) } },
      { body: { sourceZipUrl: 'gs://sluice-uploads/01a1fb19-0000-7000-8000-000000000000/x.zip' } },
    ],
  };
}
