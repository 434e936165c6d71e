import type { AcceptedWriteReply } from '@sluice/types';
import { describeBody } from '../../clients/request-json';
import { countValues, expectSame } from '../compare-contact';
import { expectWrittenBy } from '../ledger-checks';
import { contactAt, describeContact, sampleIndexes, sampleProperties } from '../sample-contacts';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';
import { waitForOperation } from '../wait-for-operation';

/** One contact, accepted at once and written in the background; its operation tells how it went. */
export async function createAsynchronously(tour: Tour, groupRef: string): Promise<StepOutcome> {
  const contact = contactAt(tour.contacts, sampleIndexes.asynchronous);
  const request = { groupRef, type: 'create', mode: 'asynchronous', record: contact } as const;
  const begunAtMs = performance.now();
  const { status, body, tookMs: acceptMs } = await tour.sluice.write<AcceptedWriteReply>(request);
  expectThat(status === 200, `An asynchronous create should answer 200, and answered ${status} ${describeBody(body)}`);
  const operation = await waitForOperation(tour, body.operationId);
  const tookMs = performance.now() - begunAtMs;
  expectThat(operation.status === 'success', `The operation ended with ${operation.status}: ${operation.result}`);
  const { operationId } = body;
  const { results } = await tour.client.management.listOperationRecords({ operationId });
  const [record] = results;
  const id = record?.recordId;
  expectThat(id !== undefined, 'The operation ended with success and names no record id.');
  const [found] = await tour.sandbox.readContacts([id], sampleProperties);
  expectSame(contact, found);
  await expectWrittenBy(tour, id, ['create']);
  return {
    sent: describeContact(contact),
    got: `operation ${body.operationId} after ${acceptMs.toFixed(0)} ms, then success, record ${id}`,
    crm: `the CRM has it once, all ${countValues(contact)} values equal`,
    tookMs,
    value: undefined,
  };
}
