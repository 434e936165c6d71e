import type { SingleWriteReply } from '@sluice/types';
import { describeBody } from '../../../clients/request-json';
import type { Customer, Person } from '../../customer';
import { expectThat } from '../../step-failure';
import type { StepOutcome, Tour } from '../../tour';

const customersPhone = '+49 30 1234567';
const buildersPhone = '+1 555 0100';

/** `writeOnUpdate: ifEmpty`: the customer has typed a phone number, and an update of ours leaves it alone. */
export async function keepAValue(
  _tour: Tour,
  { sluice, groupRef, crm }: Customer,
  person: Person,
): Promise<StepOutcome<Person>> {
  const { people, phone, lastname } = crm.words;
  const { id } = person;
  await crm.type(id, { [phone]: customersPhone });
  const watched = await crm.watch();
  const newName = `${person.fields[lastname]} II`;
  const record = { id, [phone]: buildersPhone, [lastname]: newName };
  const { status, body, tookMs } = await sluice.write<SingleWriteReply>({ groupRef, type: 'update', record }, people);
  expectThat(status === 200, `The update should answer 200, and answered ${status} ${describeBody(body)}`);
  // Before the tour itself reads.
  const calls = await watched();
  const found = await crm.read(id, [phone, lastname]);
  expectThat(
    found?.[phone] === customersPhone,
    `${phone} should still be ${customersPhone}, and is ${String(found?.[phone])}.`,
  );
  expectThat(found[lastname] === newName, `${lastname} should be ${newName}, and is ${String(found[lastname])}.`);
  const written = calls.filter(({ applied }) => applied > 0).length;
  expectThat(
    calls.length === 2 && written === 1,
    `One read and one write should reach the CRM, not ${calls.map(({ action }) => action).join(', ')}.`,
  );
  return {
    sent: `${phone} ${buildersPhone} and a new ${lastname}, where the customer has typed ${customersPhone}`,
    got: '200',
    crm: `${phone} is still the customer's, ${lastname} is new; one read, one write`,
    tookMs,
    value: { id, fields: { ...person.fields, [phone]: customersPhone, [lastname]: newName } },
  };
}
