import { describeBody } from '../../../clients/request-json';
import type { Customer, Person } from '../../customer';
import { expectThat } from '../../step-failure';
import type { StepOutcome, Tour } from '../../tour';

/** Finds the person by the builder's name of a field; the value comes back under that name, and only there. */
export async function searchByMappedName(
  _tour: Tour,
  { sluice, groupRef, crm }: Customer,
  { id, fields }: Person,
): Promise<StepOutcome> {
  const { people, title } = crm.words;
  const value = fields[title] ?? '';
  const fieldFilters = [{ fieldName: 'position', operator: 'eq', value }] as const;
  const { status, body, tookMs } = await sluice.search(groupRef, { objectName: people, fieldFilters });
  expectThat(status === 200, `The search should answer 200, and answered ${status} ${describeBody(body)}`);
  const ids = body.results.map((result) => result.id);
  expectThat(ids.join() === id, `The search should find ${id} alone, and found: ${ids.join(', ') || 'nothing'}.`);
  const [found] = body.results;
  expectThat(found?.mappedFields['position'] === value, `mappedFields.position should be ${value}.`);
  expectThat(!(title in found.fields), `${title} should stand under its mapped name only.`);
  return {
    sent: `position eq ${value}`,
    got: `1 result, record ${id}, position under mappedFields`,
    crm: `the CRM was asked for ${title}`,
    tookMs,
    value: undefined,
  };
}
