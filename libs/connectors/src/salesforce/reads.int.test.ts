import {
  collections,
  contacts,
  field,
  idA,
  idB,
  objects,
  page,
  record,
  refused,
  root,
  soqlOf,
} from '../../test/salesforce-replies';
import type { ProviderStub } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';
import { allRead } from '../results';

let stub: ProviderStub;
let salesforce: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, salesforce } = opened));

const fixed = { createable: false, updateable: false };
const contactDescription = {
  name: 'Contact',
  label: 'Contact',
  fields: [
    field('Id', 'id', fixed),
    field('LastName', 'string', { nillable: false, label: 'Last Name' }),
    field('Email', 'email'),
    field('DoNotCall', 'boolean', { nillable: false, defaultedOnCreate: true }),
    field('Birthdate', 'date'),
    field('Score__c', 'double', { scale: 2 }),
    field('Description', 'textarea', { filterable: false }),
    field('AccountId', 'reference', { referenceTo: ['Account'], relationshipName: 'Account' }),
    field('Level__c', 'picklist', {
      picklistValues: [
        { value: 'g', label: 'Gold', active: true },
        { value: 's', label: 'Silver', active: false },
      ],
    }),
    field('CreatedDate', 'datetime', fixed),
  ],
};
const accountDescription = { name: 'Account', label: 'Account', fields: [field('Id', 'id'), field('Name', 'string')] };

describe('search', () => {
  const find = (filters: { field: string; value: string | number | boolean }[], fields: string[] = ['lastname']) =>
    salesforce.search({ ...contacts, filters, fields, limit: 100 });
  const described = { status: 200, body: contactDescription };
  const soql = () => soqlOf(stub.requests.at(-1)?.path);

  test('values typed and escaped, names canonical, one page', async () => {
    stub.replyWith(described, page(record(idA, { LastName: "O'Hara" })));
    const filters = [
      { field: 'LASTNAME', value: "O'Hara\\" },
      { field: 'donotcall', value: 'true' },
      { field: 'Score__c', value: 5 },
      { field: 'Birthdate', value: '1815-12-10' },
      { field: 'AccountId', value: '001ak00000000AAAAA' },
    ];
    expect(await find(filters)).toEqual({
      records: [{ id: idA, fields: { LastName: "O'Hara" }, raw: record(idA, { LastName: "O'Hara" }) }],
      hasMore: false,
    });
    expect(stub.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
      `GET ${objects}/describe`,
      `GET ${root}/query`,
    ]);
    expect(soql()).toBe(
      "SELECT Id, LastName FROM Contact WHERE LastName = 'O\\'Hara\\\\' AND DoNotCall = true AND Score__c = 5 " +
        "AND Birthdate = 1815-12-10 AND AccountId = '001ak00000000AAAAA' LIMIT 101",
    );
  });

  test('over a relationship, with the description of the other object', async () => {
    stub.replyWith(
      described,
      { status: 200, body: accountDescription },
      page(record(idA, { Account: { Name: 'Acme' } })),
    );
    const { records } = await find([{ field: 'account.name', value: 'Acme' }], ['Id', 'Account.Name', 'id']);
    expect(records[0]?.fields).toEqual({ Id: idA, 'Account.Name': 'Acme' });
    expect(soql()).toBe("SELECT Id, Account.Name FROM Contact WHERE Account.Name = 'Acme' LIMIT 101");
    expect(stub.requests[1]?.path).toBe(`${root}/sobjects/Account/describe`);
  });

  // A query with a LIMIT states no other total than what it returns, so one record more is asked for than is wanted.
  test('a page that the query could not hold whole says so', async () => {
    const asked = { ...contacts, filters: [{ field: 'LastName', value: 'A' }], fields: ['LastName'], limit: 2 };
    const rows = [idA, idB, idA].map((id) => record(id, { LastName: 'A' }));
    stub.replyWith(described, page(...rows), page(...rows.slice(1)));
    const cut = await salesforce.search(asked);
    expect(cut).toMatchObject({ records: [{ id: idA }, { id: idB }], hasMore: true });
    expect(soql()).toMatch(/ LIMIT 3$/);
    expect(await salesforce.search(asked)).toMatchObject({ records: [{ id: idB }, { id: idA }], hasMore: false });
  });

  test('without fields all are read, 200 at most', async () => {
    stub.replyWith(described, page(record(idA, { LastName: 'A', Email: null })));
    const {
      records: [found],
    } = await salesforce.search({ ...contacts, filters: [], fields: [], limit: 5_000 });
    expect(soql()).toBe('SELECT FIELDS(ALL) FROM Contact LIMIT 200');
    expect(found?.fields).toEqual({ Id: idA, LastName: 'A', Email: null });
  });

  test.each<[string, { field: string; value: string }, string]>([
    ['a name of no form', { field: 'Id FROM User--', value: 'x' }, "'Id FROM User--' has no Salesforce name"],
    ['an unknown field', { field: 'Nope__c', value: 'x' }, "'Nope__c' does not exist: Contact has no field 'Nope__c'"],
    ['an unknown relationship', { field: 'Foo.Name', value: 'x' }, "Contact has no relationship 'Foo'"],
    ['a long text', { field: 'Description', value: 'x' }, "'Description' is of type textarea and cannot be filtered"],
    ['a boolean', { field: 'DoNotCall', value: 'yes' }, "'DoNotCall' must be true or false, not 'yes'"],
    ['an id', { field: 'AccountId', value: "' OR Id != '" }, "'AccountId' must be an id"],
  ])('%s is refused by name, without a query', async (_, filter, message) => {
    stub.replyWith(described, page());
    await expect(find([filter])).rejects.toMatchObject({ class: 'rejected', detail: expect.stringContaining(message) });
    expect(stub.requests.filter(({ path }) => path.includes('/query'))).toEqual([]);
  });

  test('a filter that no URL holds', async () => {
    stub.replyWith(described, page());
    await expect(find([{ field: 'LastName', value: '€'.repeat(4_000) }])).rejects.toMatchObject({
      class: 'rejected',
      detail: expect.stringContaining('use fewer or shorter filters'),
    });
  });

  test('more fields than a URL holds: all of them are read', async () => {
    const many = Array.from({ length: 400 }, (_, at) => field(`Long_Custom_Field_Name_Number_${at}__c`, 'string'));
    const fields = [...contactDescription.fields, ...many];
    stub.replyWith({ status: 200, body: { ...contactDescription, fields } }, page(record(idA, { LastName: 'A' })));
    const {
      records: [found],
    } = await find(
      [{ field: 'LastName', value: 'A' }],
      fields.map(({ name }) => name),
    );
    expect(soql()).toBe("SELECT FIELDS(ALL) FROM Contact WHERE LastName = 'A' LIMIT 101");
    expect(found?.fields['LastName']).toBe('A');
  });

  test('an object that is not there is named', async () => {
    stub.replyWith({ status: 404, body: refused('NOT_FOUND', 'The requested resource does not exist') });
    await expect(find([])).rejects.toMatchObject({ class: 'rejected', detail: expect.stringContaining("'Contact'") });
  });
});

describe('batch read', () => {
  test('aligned with the ids, null is absent, ids of 15 and 18 are one, names as asked', async () => {
    const found = record(idA, { LastName: 'Lovelace', Account: { attributes: {}, Name: 'Acme' } });
    stub.replyWith({ status: 200, body: [null, found] });
    const ids = [idB, 'no id', idA.slice(0, 15), idA];
    const records = await salesforce.readBatch({
      ...contacts,
      ids,
      fields: ['lastname', 'Account.Name', 'id'],
    });
    const fields = { lastname: 'Lovelace', 'Account.Name': 'Acme', id: idA };
    const read = { id: idA, fields, raw: found };
    expect(records).toEqual([undefined, undefined, read, read]);
    expect(stub.requests).toMatchObject([
      {
        method: 'POST',
        path: `${collections}/Contact`,
        body: { ids: [idB, idA], fields: ['Id', 'lastname', 'Account.Name'] },
      },
    ]);
  });

  test('ids of no form alone cost no call', async () => {
    stub.replyWith({ status: 500 });
    const read = salesforce.readBatch({ ...contacts, ids: ['../x', '5'], fields: ['LastName'] });
    expect(await read).toEqual([undefined, undefined]);
    expect(stub.requests).toEqual([]);
  });

  test('one unknown field is refused for all, and named', async () => {
    const message = "No such column 'Nope__c' on sobject of type Contact";
    stub.replyWith({ status: 400, body: refused('INVALID_FIELD', message) });
    await expect(salesforce.readBatch({ ...contacts, ids: [idA], fields: ['Nope__c'] })).rejects.toMatchObject({
      class: 'rejected',
      detail: `INVALID_FIELD: ${message}`,
    });
  });

  test.each<[string, unknown]>([
    ['too short', []],
    ['with something else in it', ['x']],
    ['of no list', {}],
    ['of nothing', undefined],
    ['with another record in its place', [record(idB, { LastName: 'Byron' })]],
  ])('a reply %s is not absence', async (_, body) => {
    stub.replyWith({ status: 200, body });
    const reading = salesforce.readBatch({ ...contacts, ids: [idA], fields: ['LastName'] });
    await expect(reading).rejects.toMatchObject({ class: 'unavailable' });
  });

  test('by the values of a field', async () => {
    const found = record(idA, { Email: 'ada@x.io', LastName: 'A' });
    stub.replyWith(
      { status: 200, body: contactDescription },
      { status: 200, body: { totalSize: 1, done: true, records: [found] } },
    );
    const byProperty = { name: 'email', values: ['b@x.io', 'ADA@x.io'] };
    const records = await salesforce.readBatch({ ...contacts, fields: ['LastName'], byProperty });
    expect(allRead(records).map((each) => each?.id)).toEqual([undefined, idA]);
    expect(soqlOf(stub.requests[1]?.path)).toBe(
      "SELECT Id, LastName, Email FROM Contact WHERE Email IN ('b@x.io', 'ADA@x.io') LIMIT 2000",
    );
  });

  test.each<[string, object]>([
    ['without its list', {}],
    ['without the number of rows', { done: true, records: [] }],
    ['with rows on another page', { totalSize: 1, done: false, records: [] }],
  ])('by the values of a field: a page %s is not absence', async (_, body) => {
    stub.replyWith({ status: 200, body: contactDescription }, { status: 200, body });
    const byProperty = { name: 'email', values: ['b@x.io'] };
    const reading = salesforce.readBatch({ ...contacts, fields: ['LastName'], byProperty });
    await expect(reading).rejects.toMatchObject({ class: 'unavailable' });
  });
});

test('describe: an object of no form costs no call', async () => {
  stub.replyWith({ status: 200, body: contactDescription });
  const asked = salesforce.describe({ ...contacts, objectName: 'Contact/describe?x' });
  await expect(asked).rejects.toMatchObject({ class: 'rejected', detail: expect.stringContaining('the object') });
  expect(stub.requests).toEqual([]);
});

test('describe: the fields as the account has them', async () => {
  stub.replyWith({ status: 200, body: contactDescription });
  const { name, displayName, fields } = await salesforce.describe(contacts);
  expect([name, displayName]).toEqual(['Contact', 'Contact']);
  const [lastName, optional] = [
    { readOnly: false, isCustom: false },
    { isRequired: false, readOnly: false },
  ];
  expect(fields).toMatchObject({
    LastName: { ...lastName, displayName: 'Last Name', valueType: 'string', providerType: 'string', isRequired: true },
    DoNotCall: { ...optional, valueType: 'boolean' },
    Birthdate: { ...optional, valueType: 'date' },
    Score__c: { ...optional, valueType: 'float', isCustom: true, providerType: 'double' },
    AccountId: { ...optional, valueType: 'reference', referenceTo: ['Account'] },
    Level__c: { valueType: 'singleSelect', values: [{ value: 'g', displayValue: 'Gold' }] },
    CreatedDate: { valueType: 'datetime', readOnly: true, isRequired: false },
  });
});
