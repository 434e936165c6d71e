import type { RouteDescription } from '@sluice/http';
import type { BatchWriteReply, DryRunReply, RefusedWriteReply, SingleWriteReply, WriteRequest } from '@sluice/types';

type Requests = Readonly<Record<string, { readonly summary: string; readonly value: WriteRequest }>>;

const groupRef = 'demo-group';
const email = 'zoe@example.com';
const operationId = '01a1fb19-d20c-7689-a391-719613643c04';
const recordId = '171590321967';
const invalidEmail = { message: 'Email address ann at example is invalid' };

/** Every way of writing, by a name that requests and replies share. */
export const writeExamples: Requests = {
  single: {
    summary: 'One record, now',
    value: { groupRef, type: 'create', record: { email, firstname: 'Zoë' } },
  },
  batch: {
    summary: 'A batch, now',
    value: { groupRef, type: 'create', batch: [{ record: { email } }, { record: { email: 'ann at example' } }] },
  },
  asynchronous: {
    summary: 'One record, later, retried for six hours',
    value: { groupRef, type: 'create', mode: 'asynchronous', retryPolicy: { deadlineHours: 6 }, record: { email } },
  },
  autoBatched: {
    summary: 'One record, later, with others in one call',
    value: {
      groupRef,
      type: 'create',
      mode: 'asynchronous',
      autoBatchPolicy: { maxDelayMinutes: 5 },
      record: { email },
    },
  },
  update: {
    summary: 'An update with an association',
    value: {
      groupRef,
      type: 'update',
      record: { id: recordId, firstname: 'Zoe' },
      associations: [
        { to: { id: '18734' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }] },
      ],
    },
  },
  delete: { summary: 'A delete', value: { groupRef, type: 'delete', record: { id: recordId } } },
};

const written = (id: string, fields: object) => ({
  success: true as const,
  recordId: id,
  data: { id, properties: { ...fields, hs_object_id: id }, archived: false },
});
const single: SingleWriteReply = { operationId, result: written(recordId, { email, firstname: 'Zoë' }) };
const updated: SingleWriteReply = { operationId, result: written(recordId, { firstname: 'Zoe' }) };
const deleted: SingleWriteReply = { operationId, result: { success: true, recordId, data: { id: recordId } } };
const batch: BatchWriteReply = {
  operationId,
  successCount: 1,
  failureCount: 1,
  results: [written('171590322766', { email }), { success: false, errors: [invalidEmail] }],
};
const planned: DryRunReply = {
  plan: [
    { field: 'email', providerField: 'email', value: email, reason: 'sent in the request', sent: true },
    {
      field: 'hs_lead_status',
      providerField: 'hs_lead_status',
      value: 'NEW',
      reason: 'default of selectedFieldSettings',
      sent: true,
    },
  ],
};
const refused: RefusedWriteReply = {
  operationId,
  errors: [{ message: `Contact already exists. Existing ID: ${recordId}` }],
  result: { success: false },
};
const allRefused: BatchWriteReply = {
  operationId,
  successCount: 0,
  failureCount: 2,
  results: [
    { success: false, errors: [invalidEmail] },
    { success: false, errors: [invalidEmail] },
  ],
};

export const writeReplyExamples: RouteDescription['replyExamples'] = {
  200: {
    single: { summary: 'One record: written', value: single },
    batch: { summary: 'A batch: one written, one refused', value: batch },
    asynchronous: { summary: 'Accepted: committed, and written later', value: { operationId } },
    autoBatched: { summary: 'Accepted into a batch: the operation of the batch', value: { operationId } },
    update: { summary: 'Updated', value: updated },
    delete: { summary: 'Deleted', value: deleted },
    dryRun: { summary: 'dryRun=true: what would be sent', value: planned },
  },
  422: {
    single: { summary: 'One record: refused by the provider', value: refused },
    batch: { summary: 'A batch: every record refused', value: allRefused },
  },
};
