import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { hubspot, person, salesforce } from './crms';

const stack = sharedStack();
let customer: Customer;
beforeAll(async () => {
  customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts', 'companies'] });
});

/** 279: contact to company, as HubSpot defines it. */
const contactToCompany = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 };
const to = (id: string) => [{ to: { id }, types: [contactToCompany] }];
const newCompany = async (name: string): Promise<string> =>
  (await customer.write('companies', { type: 'create', record: { name } })).body.result.recordId;
const linksOf = async (id: string): Promise<string> =>
  JSON.stringify((await customer.account.record('contacts', id))?.shown['associations'] ?? []);

it('a single create links the record to the one it names [write.associations] [write.associations-category] [write.associations-shape]', async () => {
  const company = await newCompany('Single');
  const reply = await customer.write('contacts', {
    type: 'create',
    record: person(hubspot, 'Linked'),
    associations: to(company),
  });
  expect(reply).toMatchObject({ status: 200, body: { result: { success: true } } });
  const links = await linksOf(reply.body.result.recordId);
  expect(links).toContain(company);
  expect(links).toContain('279');
});

it('each item of a batch has its own [write.associations] [write.batch]', async () => {
  const [one, two] = [await newCompany('Batch-1'), await newCompany('Batch-2')];
  const batch = [
    { record: person(hubspot, 'Item-1'), associations: to(one) },
    { record: person(hubspot, 'Item-2'), associations: to(two) },
    { record: person(hubspot, 'Item-3') },
  ];
  const { status, body } = await customer.write('contacts', { type: 'create', batch });
  expect(status).toBe(200);
  const links = await Promise.all(body.results.map(({ recordId }) => linksOf(recordId ?? '')));
  expect(links[0]).toContain(one);
  expect(links[1]).toContain(two);
  expect(links[1]).not.toContain(one);
  expect(links[2]).toBe('[]');
});

it('an item that names a record which does not exist costs only itself [write.associations] [write.partial-success]', async () => {
  const company = await newCompany('Exists');
  const batch = [
    { record: person(hubspot, 'Target-1'), associations: to(company) },
    { record: person(hubspot, 'Target-2'), associations: to('99999999999999') },
    { record: person(hubspot, 'Target-3') },
  ];
  const { status, body } = await customer.write('contacts', { type: 'create', batch });
  expect(status).toBe(200);
  expect(body.results.map(({ success }) => success)).toEqual([true, false, true]);
});

it('an asynchronous create links too [write.associations]', async () => {
  const company = await newCompany('Later');
  const record = person(hubspot, 'Later');
  const body = { type: 'create', mode: 'asynchronous', record, associations: to(company) };
  const { metadata } = await customer.ended((await customer.write('contacts', body)).body.operationId);
  expect(await linksOf(metadata?.successfulRecordIds?.[0] ?? '')).toContain(company);
});

it('an update links an existing record [write.associations]', async () => {
  const company = await newCompany('Update');
  const created = await customer.write('contacts', { type: 'create', record: person(hubspot, 'Existing') });
  const id = created.body.result.recordId;
  const record = { id, jobtitle: 'Chief' };
  const reply = await customer.write('contacts', { type: 'update', record, associations: to(company) });
  expect(reply).toMatchObject({ status: 200, body: { result: { success: true } } });
  expect(await linksOf(id)).toContain(company);
  expect((await customer.account.record('contacts', id))?.fields['jobtitle']).toBe('Chief');
});

it('a batch of updates links each item with its own [write.associations] [write.batch]', async () => {
  const [one, two] = [await newCompany('UpdateBatch-1'), await newCompany('UpdateBatch-2')];
  const created = await customer.write('contacts', {
    type: 'create',
    batch: [{ record: person(hubspot, 'UpdateItem-1') }, { record: person(hubspot, 'UpdateItem-2') }],
  });
  const ids = created.body.results.map(({ recordId }) => recordId ?? '');
  const batch = [
    { record: { id: ids[0], jobtitle: 'Chief' }, associations: to(one) },
    { record: { id: ids[1], jobtitle: 'Chief' }, associations: to(two) },
  ];
  expect(await customer.write('contacts', { type: 'update', batch })).toMatchObject({ status: 200 });
  const links = await Promise.all(ids.map(linksOf));
  expect(links[0]).toContain(one);
  expect(links[0]).not.toContain(two);
  expect(links[1]).toContain(two);
});

it('auto-batched creates link each record with its own [write.associations]', async () => {
  const [one, two] = [await newCompany('Auto-1'), await newCompany('Auto-2')];
  const join = (mark: string, company: string) =>
    customer.write('contacts', {
      type: 'create',
      mode: 'asynchronous',
      autoBatchPolicy: { maxDelayMinutes: 10 },
      record: person(hubspot, mark),
      associations: to(company),
    });
  const [first] = [await join('AutoItem-1', one), await join('AutoItem-2', two)];
  expect(await customer.ended(first.body.operationId)).toMatchObject({ status: 'success' });
  const contacts = await customer.account.records('contacts');
  const idOf = (mark: string) => contacts.find(({ fields }) => fields['lastname'] === mark)?.id ?? '';
  expect(await linksOf(idOf('AutoItem-1'))).toContain(one);
  expect(await linksOf(idOf('AutoItem-2'))).toContain(two);
});

it.each([
  ['no list', {}, 'associations'],
  ['no to', [{ types: [contactToCompany] }], 'associations[0].to'],
  ['no id in to', [{ to: {}, types: [contactToCompany] }], 'associations[0].to.id'],
  ['an id that is a number', [{ to: { id: 7 }, types: [contactToCompany] }], 'associations[0].to.id'],
  ['no types', [{ to: { id: '7' } }], 'associations[0].types'],
  [
    'no category',
    [{ to: { id: '7' }, types: [{ associationTypeId: 279 }] }],
    'associations[0].types[0].associationCategory',
  ],
  [
    'a type id that is a text',
    [{ to: { id: '7' }, types: [{ ...contactToCompany, associationTypeId: '279' }] }],
    'associations[0].types[0].associationTypeId',
  ],
])('with %s they are refused [write.associations-shape]', async (_case, associations, name) => {
  const reply = await customer.write('contacts', { type: 'create', record: person(hubspot, 'Shape'), associations });
  expect(reply.status).toBe(400);
  expect(reply.body.issues.map((issue) => issue.name)).toContain(name);
});

it('provider Y has none: refused on a single record and on a batch item [write.associations-provider]', async () => {
  const { object } = salesforce;
  const other = await createCustomer(stack, { provider: 'salesforce', write: [object] });
  const associations = to('001000000000000AAA');
  const record = person(salesforce, 'None');
  const single = await other.write(object, { type: 'create', record, associations });
  expect(single).toMatchObject({ status: 400, body: { code: 'write.capability-missing' } });
  const batch = await other.write(object, { type: 'create', batch: [{ record, associations }] });
  expect(batch).toMatchObject({ status: 400, body: { code: 'write.capability-missing' } });
  expect(await other.account.records(object)).toEqual([]);
});
