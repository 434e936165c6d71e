import { describeBody } from '../../clients/request-json';
import { callsSince } from '../ledger-checks';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';
import type { WrittenContact } from './create-synchronously';

/** Finds the contact again by one unmapped field. */
export async function searchByEmail(
  tour: Tour,
  groupRef: string,
  { id, contact }: WrittenContact,
): Promise<StepOutcome> {
  const value = contact.email?.toLowerCase() ?? '';
  const fieldFilters = [{ fieldName: 'email', operator: 'eq', value }] as const;
  const begunAt = new Date();
  const { status, body, tookMs } = await tour.sluice.search(groupRef, { objectName: 'contacts', fieldFilters });
  expectThat(status === 200, `A search should answer 200, and answered ${status} ${describeBody(body)}`);
  const ids = body.results.map((result) => result.id);
  expectThat(
    ids.join() === id,
    `The search should find record ${id} alone, and found: ${ids.join(', ') || 'nothing'}.`,
  );
  const lastname = body.results[0]?.fields.lastname;
  expectThat(lastname === contact.lastname, `The search gives the last name ${JSON.stringify(lastname)}.`);
  const calls = await callsSince(tour, begunAt, 'search');
  expectThat(calls.length === 1, `One search should reach the CRM, and ${calls.length} did.`);
  return {
    sent: `email eq ${value}`,
    got: `1 result, record ${id}, ${Object.keys(body.results[0]?.fields ?? {}).length} fields`,
    crm: 'the CRM was searched once',
    tookMs,
    value: undefined,
  };
}
