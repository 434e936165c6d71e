import type {
  InstallationHealth,
  Lane,
  Operation,
  OperationExplanation,
  OperationProgress,
  OperationRecord,
  Overview,
} from '@sluice/types';

// Examples of operations, of the customer that the others of this service have (`examples.ts`).

export const id = (number: number): string => `01a1fb19-d20c-7689-a391-719613643c${String(number).padStart(2, '0')}`;
export const projectId = id(10);
export const integrationId = id(11);
export const installedAt = '2026-11-20T10:00:00.000Z';
export const writtenAt = '2026-11-20T10:05:00.120Z';
export const endedAt = '2026-11-20T10:05:00.380Z';

export const operation: Operation = {
  id: id(4),
  projectId,
  integrationId,
  installationId: id(1),
  configId: id(2),
  actionType: 'write',
  status: 'success',
  result:
    'Batch write completed (1 succeeded, 1 failed). First error, record 1: Email address ann at example is invalid',
  resource: 'contacts',
  metadata: {
    objects: ['contacts'],
    retry: { attempts: 1, lastAttempt: writtenAt },
    successfulRecordIds: ['171590322766'],
  },
  createTime: writtenAt,
  updateTime: endedAt,
};

const refused = { class: 'rejected', message: 'Email address ann at example is invalid' } as const;
export const records: readonly OperationRecord[] = [
  { index: 0, status: 'succeeded', recordId: '171590322766' },
  { index: 1, status: 'failed', error: refused },
];

export const log = {
  timestamp: endedAt,
  severity: 'ERROR',
  message: {
    msg: '1 record ended as failed (rejected).',
    error: 'rejected',
    operation_id: id(4),
    details: { outcome: 'failed', records: '1' },
  },
};

export const progress: OperationProgress = {
  operationId: id(4),
  status: 'success',
  phase: 'ended',
  type: 'create',
  mode: 'synchronous',
  records: { total: 2, pending: 0, succeeded: 1, failed: 1, unknown: 0 },
  calls: { ready: 0, retrying: 0, running: 0, inDoubt: 0, waiting: 0, done: 1, quarantined: 0 },
  laneId: id(12),
};

const plan = (email: string) => ({
  objectName: 'contacts',
  fields: { email, hs_lead_status: 'string(3)' },
  notes: [
    {
      field: 'hs_lead_status',
      providerField: 'hs_lead_status',
      reason: 'default of selectedFieldSettings',
      sent: true,
    },
  ],
});
const sent = { call: 1, sendState: 'sent', retryUntil: writtenAt, configId: id(2) } as const;
export const explanation: OperationExplanation = {
  operation,
  provider: 'hubspot',
  type: 'create',
  mode: 'synchronous',
  calls: [
    {
      number: 1,
      state: 'done',
      allOrNone: false,
      attempts: [
        {
          number: 1,
          sentAt: writtenAt,
          finishedAt: endedAt,
          durationMs: 149,
          status: 207,
          providerRequestId: '50a966b4-f94b-4d51-aee5-a0c5ff177933',
          error: refused,
          recordIndexes: [0, 1],
        },
      ],
    },
  ],
  records: [
    { index: 0, status: 'succeeded', recordId: '171590322766', ...sent, plan: plan('string(15)') },
    { index: 1, status: 'failed', error: refused, ...sent, plan: plan('string(14)') },
  ],
  pagination: { done: true },
};

export const lane: Lane = {
  id: id(12),
  projectId,
  provider: 'hubspot',
  workspaceRef: '84559852',
  groupRefs: ['demo-group'],
  calls: { running: 1, ready: 12, retrying: 0, inDoubt: 0, waiting: 0 },
  createTime: installedAt,
  quota: { limit: 110, left: 104, windowSeconds: 10 },
};

export const overview: Overview = {
  span: 'hour',
  stepSeconds: 60,
  startTime: '2026-11-20T09:06:00.000Z',
  endTime: '2026-11-20T10:06:00.000Z',
  points: [
    {
      time: '2026-11-20T10:05:00.000Z',
      accepted: 120,
      written: 101,
      failed: 1,
      unknown: 0,
      retried: 18,
      accept: { median: 0.0031, p95: 0.0092 },
      providerCall: { median: 0.1438, p95: 0.2475 },
      providers: [{ provider: 'hubspot', errors: 2, blocks: 1, blockedSeconds: 10 }],
      backlog: [{ laneId: id(12), waiting: 18 }],
    },
  ],
  lanes: [{ id: id(12), provider: 'hubspot', workspaceRef: '84559852', groupRefs: ['demo-group'] }],
  services: [
    { service: 'executor', processes: 2, versions: ['0.1.0'], lastTime: '2026-11-20T10:06:00.000Z' },
    { service: 'write-gateway', processes: 2, versions: ['0.1.0'], lastTime: '2026-11-20T10:06:00.000Z' },
  ],
};

/** Of the same customer, once its token was revoked. */
export const installationHealth: InstallationHealth = {
  id: id(1),
  integrationId,
  integrationName: 'crm',
  provider: 'hubspot',
  groupRef: 'demo-group',
  groupName: 'Demo group',
  healthStatus: 'unhealthy',
  lastOperationStatus: 'in_progress',
  connection: {
    id: id(3),
    authScheme: 'oauth2/authorizationCode',
    status: 'bad_credentials',
    consumerRef: 'ann',
    workspaceRef: '84559852',
    since: writtenAt,
  },
  waiting: { records: 12 },
  lastError: { time: writtenAt, message: 'The token was revoked.', class: 'credentials', operationId: id(4) },
  createTime: installedAt,
};
