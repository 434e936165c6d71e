import type { SingleWriteReply } from '@sluice/types';
import { describeBody } from '../../clients/request-json';
import { expectSame } from '../compare-contact';
import { expectWrittenBy } from '../ledger-checks';
import { sampleProperties } from '../sample-contacts';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';
import type { WrittenContact } from './create-synchronously';

const jobtitle = 'Leiterin Einkauf – Süd/Öst „Sonderprojekte“';

/** A new job title for the contact that was created; nothing else may change. @returns it as it is now */
export async function updateAContact(
  tour: Tour,
  groupRef: string,
  { id, contact }: WrittenContact,
): Promise<StepOutcome<WrittenContact>> {
  const request = { groupRef, type: 'update', record: { id, jobtitle } } as const;
  const { status, body, tookMs } = await tour.sluice.write<SingleWriteReply>(request);
  expectThat(status === 200, `An update should answer 200, and answered ${status} ${describeBody(body)}`);
  const changed = { ...contact, jobtitle };
  const [found] = await tour.sandbox.readContacts([id], sampleProperties);
  expectSame(changed, found);
  await expectWrittenBy(tour, id, ['create', 'update']);
  return {
    sent: `jobtitle of record ${id}`,
    got: '200',
    crm: 'the CRM has the new value, the others are as before',
    tookMs,
    value: { id, contact: changed },
  };
}
