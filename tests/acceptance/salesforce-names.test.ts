import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';

/** Salesforce takes the names of fields in any case, and ids in two forms: the rules of a config hold for all of them. */
const stack = sharedStack();
let customer: Customer;
beforeAll(async () => {
  const objectName = 'Contact';
  const city = { fieldName: "$['MailingAddress']['city']", mapToName: 'city' };
  const read = { objectName, requiredFields: [{ fieldName: 'LastName' }, { fieldName: 'Title' }, city] };
  const write = { objectName, inheritMapping: true };
  customer = await createCustomer(stack, {
    provider: 'salesforce',
    read: [read],
    write: [write],
    config: {
      read: { objects: { Contact: { objectName, selectedValueMappings: { Title: { Boss: 'CEO' } } } } },
      write: {
        objects: {
          Contact: {
            objectName,
            selectedFieldSettings: {
              Phone: { writeOnUpdate: 'ifEmpty' },
              Department: { writeOnUpdate: 'never' },
              LeadSource: { default: { stringValue: 'Web' } },
              city: { writeOnUpdate: 'ifEmpty' },
            },
          },
        },
      },
    },
  });
});

const create = async (record: object): Promise<string> => {
  const reply = await customer.write('Contact', { type: 'create', record });
  expect(reply).toMatchObject({ status: 200, body: { result: { success: true } } });
  return reply.body.result.recordId;
};
const fieldsOf = async (id: string) => (await customer.account.record('Contact', id))?.fields ?? {};

it('settings and defaults hold under every spelling of a field [write.rule-5] [write-config.if-empty]', async () => {
  const id = await create({ LastName: 'Case', Phone: '+41 1', Department: 'Sales', leadsource: 'Partner Referral' });
  expect(await fieldsOf(id)).toMatchObject({ LeadSource: 'Partner Referral' });
  const record = { id, phone: '999', department: 'new', leadsource: 'Other' };
  expect(await customer.write('Contact', { type: 'update', record })).toMatchObject({ status: 200 });
  expect(await fieldsOf(id)).toMatchObject({ Phone: '+41 1', Department: 'Sales', LeadSource: 'Other' });
});

// Compounds are read-only, and no filter takes one: their components hold the same data.
it('a path into a compound field is its component, to write, to read before an update, to filter and to show', async () => {
  const id = await create({ LastName: 'Path', city: 'Bern' });
  expect(await fieldsOf(id)).toMatchObject({ MailingCity: 'Bern' });
  const record = { id, city: 'Basel', Title: 'x' };
  expect(await customer.write('Contact', { type: 'update', record })).toMatchObject({ status: 200 });
  expect(await fieldsOf(id)).toMatchObject({ MailingCity: 'Bern', Title: 'x' });
  for (const name of ['city', "$['MailingAddress']['City']"]) {
    const { status, body } = await customer.search('Contact', { [name]: 'Bern', LastName: 'Path' });
    expect([status, body.results]).toMatchObject([200, [{ id, mappedFields: { city: 'Bern' } }]]);
  }
});

it('two spellings of one field are 400', async () => {
  const record = { LastName: 'a', lastname: 'b' };
  const { status, body } = await customer.write('Contact', { type: 'create', record });
  expect(status).toBe(400);
  expect(body).toMatchObject({ issues: [{ name: 'record.lastname' }] });
});

it('value mappings hold under every spelling, in writes and in searches [read-config.selected-value-mappings]', async () => {
  const id = await create({ LastName: 'Value', title: 'Boss' });
  expect(await fieldsOf(id)).toMatchObject({ Title: 'CEO' });
  for (const filters of [
    { title: 'Boss', LastName: 'Value' },
    { Title: 'Boss', lastname: 'Value' },
  ]) {
    const { body } = await customer.search('Contact', filters);
    expect(body.results).toMatchObject([{ id, fields: { Title: 'Boss' } }]);
  }
});

it('two updates of one record under both forms of its id are done in order', async () => {
  const id = await create({ LastName: 'Forms' });
  const batch = [id, id.slice(0, 15)].map((each, at) => ({ record: { id: each, Title: `Step ${at}` } }));
  const { body } = await customer.write('Contact', { type: 'update', mode: 'asynchronous', batch });
  expect(await customer.ended(body.operationId)).toMatchObject({ status: 'success' });
  expect(await fieldsOf(id)).toMatchObject({ Title: 'Step 1' });
  expect(await customer.write('Contact', { type: 'update', batch })).toMatchObject({ status: 400 });
});

it('a list of choices is one value; a list of anything else is 400', async () => {
  const id = await create({ LastName: 'List', Interests__c: ['Cycling', 'Music'] });
  expect(await fieldsOf(id)).toMatchObject({ Interests__c: 'Cycling;Music' });
  for (const Interests__c of [[{ name: 'Music' }], [null, 'Music'], ['Music', ['Travel']], ['Music;Travel']]) {
    const { status, body } = await customer.write('Contact', { type: 'update', record: { id, Interests__c } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'request.invalid' });
  }
  expect(await fieldsOf(id)).toMatchObject({ Interests__c: 'Cycling;Music' });
});
