import type { SingleWriteReply } from '@sluice/types';
import { describeBody } from '../../clients/request-json';
import { countValues, expectSame } from '../compare-contact';
import { expectWrittenBy } from '../ledger-checks';
import { contactAt, describeContact, sampleIndexes, sampleProperties, type SampleContact } from '../sample-contacts';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';

/** A contact that the CRM has. */
export interface WrittenContact {
  readonly id: string;
  readonly contact: SampleContact;
}

/** One contact, written while the caller waits. */
export async function createSynchronously(tour: Tour, groupRef: string): Promise<StepOutcome<WrittenContact>> {
  const contact = contactAt(tour.contacts, sampleIndexes.synchronous);
  const request = { groupRef, type: 'create', record: contact } as const;
  const { status, body, tookMs } = await tour.sluice.write<SingleWriteReply>(request);
  expectThat(status === 200, `A synchronous create should answer 200, and answered ${status} ${describeBody(body)}`);
  const id = body.result.recordId;
  expectThat(id !== undefined, 'The reply of a synchronous create names no record id.');
  const [found] = await tour.sandbox.readContacts([id], sampleProperties);
  expectSame(contact, found);
  await expectWrittenBy(tour, id, ['create']);
  return {
    sent: describeContact(contact),
    got: `200, record ${id}`,
    crm: `the CRM has it once, all ${countValues(contact)} values equal`,
    tookMs,
    value: { id, contact },
  };
}
