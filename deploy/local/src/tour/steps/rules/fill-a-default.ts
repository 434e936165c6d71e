import type { SingleWriteReply } from '@sluice/types';
import { describeBody } from '../../../clients/request-json';
import type { Customer, Person } from '../../customer';
import { expectThat } from '../../step-failure';
import type { StepOutcome, Tour } from '../../tour';

/** A person without the field that has a default: the CRM gets it. The builder's `position` goes to the customer's field. */
export async function fillADefault(tour: Tour, { sluice, groupRef, crm }: Customer): Promise<StepOutcome<Person>> {
  const { people, email, lastname, title, defaulted } = crm.words;
  const address = `rules.${crm.words.people.toLowerCase()}+${tour.run}@example.com`;
  const record = { [email]: address, [lastname]: `Rūle ${tour.run}`, position: `Buyer ${tour.run}` };
  const { status, body, tookMs } = await sluice.write<SingleWriteReply>({ groupRef, type: 'create', record }, people);
  expectThat(status === 200, `The create should answer 200, and answered ${status} ${describeBody(body)}`);
  const id = body.result.recordId ?? '';
  const found = await crm.read(id, [lastname, title, defaulted.field]);
  const wanted = { [lastname]: record[lastname], [title]: record.position, [defaulted.field]: defaulted.value };
  for (const [field, value] of Object.entries(wanted)) {
    expectThat(found?.[field] === value, `${field} of record ${id} should be ${value}, not ${String(found?.[field])}.`);
  }
  return {
    sent: `${lastname} and position, without ${defaulted.field}`,
    got: `200, record ${id}`,
    crm: `${defaulted.field} is ${defaulted.value} by default; position went to ${title}`,
    tookMs,
    value: { id, fields: { [email]: address, [lastname]: record[lastname] ?? '', [title]: record.position } },
  };
}
