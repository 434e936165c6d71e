import type { WriteRequest } from '@sluice/types';

type Requests = Readonly<Record<string, { readonly summary: string; readonly value: WriteRequest }>>;

const groupRef = 'demo-group';
const email = 'zoe@example.com';
const recordId = '171590321967';

/** Every way of writing, by name. */
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
