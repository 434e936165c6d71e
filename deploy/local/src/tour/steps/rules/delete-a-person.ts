import type { SingleWriteReply } from '@sluice/types';
import { describeBody } from '../../../clients/request-json';
import type { Customer, Person } from '../../customer';
import { expectThat } from '../../step-failure';
import type { StepOutcome, Tour } from '../../tour';

/** Deletion is off unless the customer's config turns it on: 403, and the CRM is not even asked. */
export async function deleteRefused(_tour: Tour, customer: Customer, person: Person): Promise<StepOutcome> {
  const { crm } = customer;
  const watched = await crm.watch();
  const { status, body, tookMs } = await sendDelete(customer, person);
  expectThat(status === 403, `The delete should answer 403, and answered ${status} ${describeBody(body)}`);
  const calls = await watched();
  expectThat(calls.length === 0, `The CRM should not be asked, and was: ${calls.map(({ action }) => action).join()}.`);
  const found = await crm.read(person.id, [crm.words.lastname]);
  expectThat(found !== undefined, `Record ${person.id} should still be there.`);
  return {
    sent: `delete of record ${person.id}`,
    got: `403 "${describeBody(body)}"`,
    crm: 'the CRM was not asked and has the record',
    tookMs,
    value: undefined,
  };
}

/** The customer allows it: the next delete is performed. */
export async function deleteAllowed(tour: Tour, customer: Customer, person: Person): Promise<StepOutcome> {
  const { crm, integration, groupRef } = customer;
  const object = { integrationId: integration.id, objectName: crm.words.people };
  const changes = [{ op: 'add', path: '/deletionSettings', value: { enabled: true } }] as const;
  await tour.client.management.patchObjectConfig({ ...object, body: { groupRef, action: 'write', changes } });
  const { status, body, tookMs } = await sendDelete(customer, person);
  expectThat(status === 200, `The delete should answer 200, and answered ${status} ${describeBody(body)}`);
  const found = await crm.read(person.id, [crm.words.lastname]);
  expectThat(found === undefined, `Record ${person.id} should be gone, and is there.`);
  return {
    sent: `deletionSettings.enabled, then the same delete`,
    got: '200',
    crm: 'the record is gone',
    tookMs,
    value: undefined,
  };
}

function sendDelete({ sluice, groupRef, crm }: Customer, { id }: Person) {
  return sluice.write<SingleWriteReply>({ groupRef, type: 'delete', record: { id } }, crm.words.people);
}
