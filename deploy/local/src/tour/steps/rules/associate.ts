import type { SingleWriteReply } from '@sluice/types';
import { describeBody } from '../../../clients/request-json';
import type { Customer } from '../../customer';
import { expectThat } from '../../step-failure';
import type { StepOutcome, Tour } from '../../tour';

/** Contact to company, as HubSpot defines it. Source: HubSpot, association type ids. */
const contactToCompany = 279;

interface Links {
  readonly results: readonly { readonly to: readonly { readonly toObjectId: number }[] }[];
}

/** A company, and a contact that is written with a link to it. Only HubSpot has associations. */
export async function associate(tour: Tour, { sluice, groupRef }: Customer): Promise<StepOutcome> {
  const company = { name: `Höfer & Söhne ${tour.run}`, domain: `${tour.run}.example.com` };
  const made = await sluice.write<SingleWriteReply>({ groupRef, type: 'create', record: company }, 'companies');
  const companyId = made.body.result?.recordId ?? '';
  expectThat(made.status === 200, `The company answered ${made.status} ${describeBody(made.body)}`);
  const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: contactToCompany }];
  const { status, body, tookMs } = await sluice.write<SingleWriteReply>({
    groupRef,
    type: 'create',
    record: { email: `works.there+${tour.run}@example.com`, lastname: 'Höfer' },
    associations: [{ to: { id: companyId }, types }],
  });
  const id = body.result?.recordId ?? '';
  expectThat(status === 200, `The contact answered ${status} ${describeBody(body)}`);
  const path = '/crm/v4/associations/contacts/companies/batch/read';
  const links = await tour.sandbox.request<Links>('POST', path, { inputs: [{ id }] });
  const linked = links.body.results.flatMap(({ to }) => to.map(({ toObjectId }) => String(toObjectId)));
  expectThat(linked.join() === companyId, `The contact should be linked to ${companyId}, not to ${linked.join()}.`);
  return {
    sent: `company ${company.name}, then a contact with associationTypeId ${contactToCompany} to it`,
    got: `200, record ${id}`,
    crm: `the CRM shows the contact at company ${companyId}`,
    tookMs,
    value: undefined,
  };
}
