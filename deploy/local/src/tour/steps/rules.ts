import type { BatchWriteReply, SingleWriteReply } from '@sluice/types';
import { connectCustomer, demoConfig } from '../../demo/seed-demo';
import { describeBody } from '../../sandbox-client';
import { expectStatus, expectThat } from '../expect';
import type { Customer, TourProvider, StepLine, StepOutcome, Tour } from '../tour';

/** What a provider's answer to "whose token is this" is called in the ledger. */
const questions = ['account-details', 'userinfo'];

/**
 * A customer of its own for each run, so that nothing a person left accumulating in the demo's own installation joins
 * the batches that are counted here.
 */
export async function connectACustomer({ client, run }: Tour, provider: TourProvider): Promise<StepOutcome<Customer>> {
  const { integration, access, crm } = provider;
  const groupRef = `tour-${run}`;
  const calls = await crm.watch();
  const begunAtMs = performance.now();
  const content = demoConfig(integration.provider);
  await connectCustomer(client, integration, { groupRef, consumerRef: groupRef, ...access, content });
  const tookMs = performance.now() - begunAtMs;
  const times = (await calls()).filter(({ action }) => questions.includes(action)).length;
  expectThat(times === 1, `${crm.name} should have been asked once whose token it is, not ${times} times.`);
  const { people } = crm.words;
  const integrationId = integration.id;
  const headers = { 'x-sluice-request-type': 'search' };
  const value: Customer = {
    ...provider,
    groupRef,
    write: async (request, objectName = people) =>
      (await client.raw.write.writeRecords({ integrationId, objectName, body: { groupRef, ...request } })) as never,
    search: (request) =>
      client.raw.search.searchRecords(
        { integrationId, groupRef, body: { objectName: people, ...request } },
        { headers },
      ),
  };
  return {
    sent: `group ${groupRef} with an access token`,
    got: 'a connection and an installation',
    crm: 'the CRM was asked once whose token it is',
    tookMs,
    value,
  };
}

/** A person whom the customer's CRM has. */
export interface Person {
  readonly id: string;
  /** Provider field to value, as written. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A person without the field that has a default: the CRM gets it. The builder's `position` goes to the customer's field. */
export async function fillADefault({ run }: Tour, { write, crm }: Customer): Promise<StepOutcome<Person>> {
  const { people, email, lastname, title, defaulted } = crm.words;
  const address = `rules.${people.toLowerCase()}+${run}@example.com`;
  const name = `Rūle ${run}`;
  const position = `Buyer ${run}`;
  const record = { [email]: address, [lastname]: name, position };
  const { body, tookMs } = expectStatus(await write<SingleWriteReply>({ type: 'create', record }), 200, 'The create');
  const id = body.result.recordId ?? '';
  const found = await crm.read(id, [lastname, title, defaulted.field]);
  const wanted = { [lastname]: name, [title]: position, [defaulted.field]: defaulted.value };
  for (const [field, value] of Object.entries(wanted)) {
    expectThat(found?.[field] === value, `${field} of record ${id} should be ${value}, not ${String(found?.[field])}.`);
  }
  return {
    sent: `${lastname} and position, without ${defaulted.field}`,
    got: `200, record ${id}`,
    crm: `${defaulted.field} is ${defaulted.value} by default; position went to ${title}`,
    tookMs,
    value: { id, fields: { [email]: address, [lastname]: name, [title]: position } },
  };
}

const customersPhone = '+49 30 1234567';
const buildersPhone = '+1 555 0100';

/** `writeOnUpdate: ifEmpty`: the customer has typed a phone number, and an update of ours leaves it alone. */
export async function keepAValue({ write, crm }: Customer, { id, fields }: Person): Promise<StepOutcome<Person>> {
  const { phone, lastname } = crm.words;
  await crm.change(id, { [phone]: customersPhone });
  const watched = await crm.watch();
  const newName = `${fields[lastname]} II`;
  const record = { id, [phone]: buildersPhone, [lastname]: newName };
  const { tookMs } = expectStatus(await write<SingleWriteReply>({ type: 'update', record }), 200, 'The update');
  // Before the tour itself reads.
  const calls = await watched();
  const found = (await crm.read(id, [phone, lastname])) ?? {};
  const kept = String(found[phone]);
  expectThat(kept === customersPhone, `${phone} should still be ${customersPhone}, and is ${kept}.`);
  expectThat(found[lastname] === newName, `${lastname} should be ${newName}, and is ${String(found[lastname])}.`);
  const written = calls.filter(({ applied }) => applied > 0).length;
  const actions = calls.map(({ action }) => action).join(', ');
  expectThat(
    calls.length === 2 && written === 1,
    `One read and one write should reach the CRM, not ${actions || 'nothing'}.`,
  );
  return {
    sent: `${phone} ${buildersPhone} and a new ${lastname}, where the customer has typed ${customersPhone}`,
    got: '200',
    crm: `${phone} is still the customer's, ${lastname} is new; one read, one write`,
    tookMs,
    value: { id, fields: { ...fields, [phone]: customersPhone, [lastname]: newName } },
  };
}

/** Finds the person by the builder's name of a field; the value comes back under that name, and only there. */
export async function searchByMappedName({ search, crm }: Customer, { id, fields }: Person): Promise<StepLine> {
  const { title } = crm.words;
  const value = fields[title] ?? '';
  const reply = await search({ fieldFilters: [{ fieldName: 'position', operator: 'eq', value }] });
  const { results } = expectStatus(reply, 200, 'The search').body;
  const ids = results.map((result) => result.id).join(', ');
  expectThat(ids === id, `The search should find ${id} alone, and found: ${ids || 'nothing'}.`);
  const [found] = results;
  expectThat(found?.mappedFields['position'] === value, `mappedFields.position should be ${value}.`);
  expectThat(!(title in found.fields), `${title} should be returned under its mapped name only.`);
  return {
    sent: `position eq ${value}`,
    got: `1 result, record ${id}, position under mappedFields`,
    crm: `the CRM was asked for ${title}`,
    tookMs: reply.tookMs,
  };
}

/** Deletion is off unless the customer's config turns it on: 403, and no call reaches the CRM. */
export async function deleteRefused({ write, crm }: Customer, { id }: Person): Promise<StepLine> {
  const watched = await crm.watch();
  const reply = await write<SingleWriteReply>({ type: 'delete', record: { id } });
  const { body, tookMs } = expectStatus(reply, 403, 'The delete');
  const calls = (await watched()).map(({ action }) => action).join();
  expectThat(calls === '', `The CRM should not be asked, and was: ${calls}.`);
  expectThat((await crm.read(id, [crm.words.lastname])) !== undefined, `Record ${id} should still be there.`);
  return {
    sent: `delete of record ${id}`,
    got: `403 "${describeBody(body)}"`,
    crm: 'the CRM was not asked and has the record',
    tookMs,
  };
}

/** The customer allows it: the next delete is performed. */
export async function deleteAllowed({ client }: Tour, customer: Customer, { id }: Person): Promise<StepLine> {
  const { write, crm, integration, groupRef } = customer;
  const changes = [{ op: 'add', path: '/deletionSettings', value: { enabled: true } }] as const;
  await client.management.patchObjectConfig({
    integrationId: integration.id,
    objectName: crm.words.people,
    body: { groupRef, action: 'write', changes },
  });
  const reply = await write<SingleWriteReply>({ type: 'delete', record: { id } });
  const { tookMs } = expectStatus(reply, 200, 'The delete');
  expectThat((await crm.read(id, [crm.words.lastname])) === undefined, `Record ${id} should be gone, and is there.`);
  return { sent: `deletionSettings.enabled, then the same delete`, got: '200', crm: 'the record is gone', tookMs };
}

/** Contact to company, as HubSpot defines it. Source: HubSpot, association type ids. */
const contactToCompany = 279;

interface Links {
  readonly results: readonly { readonly to: readonly { readonly toObjectId: number }[] }[];
}

/** A company, and a contact that is written with a link to it. Only HubSpot has associations. */
export async function associate({ run }: Tour, { write, sandbox }: Customer): Promise<StepLine> {
  const company = { name: `Höfer & Söhne ${run}`, domain: `${run}.example.com` };
  const made = await write<SingleWriteReply>({ type: 'create', record: company }, 'companies');
  const companyId = expectStatus(made, 200, 'The company').body.result.recordId ?? '';
  const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: contactToCompany }];
  const reply = await write<SingleWriteReply>({
    type: 'create',
    record: { email: `works.there+${run}@example.com`, lastname: 'Höfer' },
    associations: [{ to: { id: companyId }, types }],
  });
  const id = expectStatus(reply, 200, 'The contact').body.result.recordId ?? '';
  const path = '/crm/v4/associations/contacts/companies/batch/read';
  const links = await sandbox.request<Links>('POST', path, { inputs: [{ id }] });
  const linked = links.body.results.flatMap(({ to }) => to.map(({ toObjectId }) => toObjectId)).join();
  expectThat(linked === companyId, `The contact should be linked to ${companyId}, not to ${linked}.`);
  return {
    sent: `company ${company.name}, then a contact with associationTypeId ${contactToCompany} to it`,
    got: `200, record ${id}`,
    crm: `the CRM shows the contact at company ${companyId}`,
    tookMs: reply.tookMs,
  };
}

const verdicts = ['good', 'bad', 'good', 'good', 'bad'] as const;
/** Characters of a reason: the step has one line. */
const shownMax = 40;

/** Five people in one synchronous batch, two of them wrong: the three others are written, in one call. */
export async function writeTwoBad({ run }: Tour, { write, crm }: Customer): Promise<StepLine> {
  const { email, lastname, wrong } = crm.words;
  const batch = verdicts.map((verdict, at) => ({
    record: {
      [email]: `batch.${at}+${run}@example.com`,
      [lastname]: `Bätch ${at}`,
      ...(verdict === 'bad' && { [wrong.field]: wrong.value }),
    },
  }));
  const watched = await crm.watch();
  const reply = await write<BatchWriteReply>({ type: 'create', batch });
  const { body, tookMs } = expectStatus(reply, 200, 'A partly refused batch');
  const outcome = body.results.map(({ success }) => (success ? 'good' : 'bad')).join();
  expectThat(outcome === verdicts.join(), `The batch should end as ${verdicts.join()}, and ended as ${outcome}.`);
  const [call, ...more] = (await watched()).filter(({ applied }) => applied > 0);
  expectThat(call?.applied === 3 && more.length === 0, 'Three records should reach the CRM in one call.');
  const reasons = body.results.flatMap(({ errors }) => errors?.[0]?.message.slice(0, shownMax) ?? []);
  return {
    sent: `${batch.length} people, 2 of them wrong`,
    got: `200, ${body.successCount} written, ${body.failureCount} refused (${reasons.join(' / ')})`,
    crm: 'one call; the CRM has the 3',
    tookMs,
  };
}
