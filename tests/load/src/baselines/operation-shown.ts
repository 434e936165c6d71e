/** As long as what management answers for a single write that waits: made up, but for its members. Source: specification, Operation. */
export const operationShown = {
  id: '01980000-0000-7000-8000-000000000001',
  projectId: '01980000-0000-7000-8000-000000000002',
  integrationId: '01980000-0000-7000-8000-000000000003',
  installationId: '01980000-0000-7000-8000-000000000004',
  configId: '01980000-0000-7000-8000-000000000005',
  actionType: 'write',
  status: 'in_progress',
  resource: 'contacts',
  metadata: {},
  createTime: '2026-11-21T12:00:00.000Z',
  updateTime: '2026-11-21T12:00:00.000Z',
};
