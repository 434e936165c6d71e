import type { RefusedWriteReply, SingleWriteReply } from '@sluice/types';
import { describeBody } from '../../clients/request-json';
import { expectWrittenBy } from '../ledger-checks';
import { contactAt, describeContact, sampleIndexes } from '../sample-contacts';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';

/** The same person a second time, the email in another case: the CRM refuses it and says whom it has. */
export async function createADuplicate(tour: Tour, groupRef: string): Promise<StepOutcome> {
  const [first, second] = sampleIndexes.duplicate.map((index) => contactAt(tour.contacts, index));
  const one = await tour.sluice.write<SingleWriteReply>({ groupRef, type: 'create', record: { ...first } });
  const id = one.body.result?.recordId;
  expectThat(
    one.status === 200 && id !== undefined,
    `The first of two answered ${one.status} ${describeBody(one.body)}`,
  );
  const begunAt = new Date();
  const two = await tour.sluice.write<RefusedWriteReply>({ groupRef, type: 'create', record: { ...second } });
  expectThat(two.status === 422, `A duplicate should answer 422, and answered ${two.status} ${describeBody(two.body)}`);
  const message = describeBody(two.body);
  expectThat(message.includes(id), `The refusal should name the record ${id}, and says: ${message}`);
  const refused = (await tour.sandbox.ledgerSince(begunAt)).filter((entry) => entry.status === 409);
  expectThat(refused.length === 1, `The CRM should have refused once with 409, and did ${refused.length} times.`);
  await expectWrittenBy(tour, id, ['create']);
  return {
    sent: `${describeContact(second ?? {})} again, email in another case`,
    got: `422 "${message}"`,
    crm: 'the CRM refused once with 409 and has the contact once',
    tookMs: two.tookMs,
    value: undefined,
  };
}
