import { createAccount } from '../harness/account';
import { createCustomer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { batchSize, drive, type Driven, type Scenario } from './promises/drive';
import { createFixture } from './promises/fixture';
import { objects, type WrittenObject } from './promises/objects';

const stack = sharedStack();
const [contact, salesforceContact] = ['contacts with `email`', 'any, with a unique field'].map((name) =>
  objects.find((object) => object.name === name),
) as [WrittenObject, WrittenObject];

/** An address that hands out credentials in a cloud. Whoever follows a redirect to it has lost. */
const location = 'http://169.254.169.254/latest/meta-data/';
type Met = Partial<Scenario> & Pick<Scenario, 'action'> & { readonly sends?: number };
/** What meets the first send of a create whose record can be looked up by a key, and how often it is sent. */
const replies: readonly (readonly [name: string, met: Met])[] = [
  ['a reply of a gigabyte', { action: { kind: 'huge' } }],
  ['200,000 lists in each other', { action: { kind: 'nested' } }],
  ['half a reply', { action: { kind: 'reset-mid-reply' } }],
  ['2xx with HTML in it', { action: { kind: 'commit-then-status', status: 200, body: '<html>Welcome</html>' } }],
  ['a redirect to a link-local address', { action: { kind: 'redirect', location }, sends: 2 }],
  ['the same after the record was made', { action: { kind: 'redirect', location, status: 307, commit: true } }],
  ['a batch whose reply leaves an input out', { form: 'batch', action: { kind: 'omit', inputs: [1] } }],
  [
    'Salesforce: a collection whose reply leaves an input out',
    { object: salesforceContact, form: 'batch', action: { kind: 'omit', inputs: [0] } },
  ],
];
const driven = new Map<string, Promise<Driven>>();
beforeAll(async () => {
  const fixture = await createFixture(stack);
  // Most of a row is waiting until a lookup is conclusive, so all wait together.
  for (const [name, met] of replies) {
    const one = drive(fixture, { object: contact, kind: 'create', form: 'single', ...met });
    one.catch(() => undefined);
    driven.set(name, one);
  }
});

// Never a success without evidence, never a duplicate: the real gateway and executor, and the CRM's own records.
it.each(replies)('[sec-22] %s', async (name, { form, sends = 1 }) => {
  const count = form === 'batch' ? batchSize : 1;
  const outcomes = Array.from({ length: count }, () => 'succeeded');
  const seen = await driven.get(name);
  // An input that was left out of a reply may be sent again, by its key.
  expect(seen).toEqual({ outcomes, isSaid: false, kept: count, sends: form === 'batch' ? seen?.sends : sends });
});

it.each([
  ['children of one parent, written at once, lock each other out', { latencyMs: 60, lockContention: 1 }],
  ['more long calls than the org may have', { latencyMs: 250, limits: { concurrentLong: 1, longAfterMs: 40 } }],
])('Salesforce: %s: each is written once', async (_, accountOptions) => {
  const customer = await createCustomer(stack, {
    provider: 'salesforce',
    write: ['Account', 'Contact'],
    accountOptions,
  });
  const parent = await customer.write('Account', { type: 'create', record: { Name: 'Parent' } });
  const marks = Array.from({ length: 12 }, (__, at) => `locked-${at}`);
  const contacts = marks.map((mark) => ({ LastName: mark, AccountId: parent.body.result.recordId }));
  const written = [0, 3, 6, 9].map(async (from) => {
    const batch = contacts.slice(from, from + 3).map((record) => ({ record }));
    const { body } = await customer.write('Contact', { type: 'create', mode: 'asynchronous', batch });
    await customer.ended(body.operationId, 240_000);
    return (await customer.recordsOf(body.operationId)).map(({ status }) => status);
  });
  expect(new Set((await Promise.all(written)).flat())).toEqual(new Set(['succeeded']));
  const stored = (await customer.account.records('Contact')).map(({ fields }) => String(fields['LastName']));
  expect(stored.toSorted()).toEqual(marks.toSorted());
});

describe('what a person does in a HubSpot account', () => {
  const merged = async () => {
    const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
    const make = async (email: string) => {
      const reply = await customer.write('contacts', { type: 'create', record: { email } });
      return reply.body.result.recordId;
    };
    const [stays, goes] = [await make('stays@example.com'), await make('goes@example.com')];
    const reply = await fetch(`${stack.sandboxUrl}/crm/v3/objects/contacts/merge`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.account.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ primaryObjectId: stays, objectIdToMerge: goes }),
    });
    expect(reply.status).toBe(200);
    return { customer, stays, goes };
  };

  it('merging: an update under the old id says which record was written', async () => {
    const { customer, stays, goes } = await merged();
    const { status, body } = await customer.write('contacts', { type: 'update', record: { id: goes, city: 'Bern' } });
    expect([status, body.result.recordId]).toEqual([200, stays]);
    expect((await customer.account.record('contacts', stays))?.fields).toMatchObject({ city: 'Bern' });
  });

  it('merging: so does one of a batch, and nothing is a success that the reply does not show', async () => {
    const { customer, stays, goes } = await merged();
    const batch = [{ record: { id: goes, city: 'Bern' } }, { record: { id: '99999999999', city: 'Bern' } }];
    const { body } = await customer.write('contacts', { type: 'update', batch });
    const [first, second] = body.results;
    expect(second?.success).toBe(false);
    // The reply names the record that stayed, under an id that nobody asked for: a success names it too, and is no lie.
    const city = (await customer.account.record('contacts', stays))?.fields['city'];
    const stored = first?.success ? [first.recordId, city] : 'not a success';
    expect([[stays, 'Bern'], 'not a success']).toContainEqual(stored);
  });
});

// Nothing at Salesforce refuses a second record of such a value, so two equal creates are two records, whatever became of a reply.
it('two equal creates with an external id that is not unique, one of them lost: each has a record', async () => {
  const customer = await createCustomer(stack, { provider: 'salesforce', write: ['Contact'] });
  const match = { method: 'POST', path: '^/services/data/.*/(sobjects/Contact|composite/sobjects)$' };
  await customer.account.fault({ match, action: { kind: 'reset-before' } });
  const record = { LastName: 'Ito', Legacy_Id__c: 'legacy-1' };
  const create = async () => (await customer.write('Contact', { type: 'create', mode: 'asynchronous', record })).body;
  const operations = [await create(), await create()].map(({ operationId }) => operationId);
  const ended = operations.map(async (id) => {
    await customer.ended(id, 240_000);
    return await customer.recordsOf(id);
  });
  const outcomes = (await Promise.all(ended)).flat();
  expect(outcomes.map(({ status, error }) => [status, error])).toEqual([
    ['succeeded', undefined],
    ['succeeded', undefined],
  ]);
  const ids = (await customer.account.records('Contact')).map(({ id }) => id);
  expect(new Set(outcomes.map(({ recordId }) => recordId))).toEqual(new Set(ids));
  expect(ids).toHaveLength(2);
});

it('[sec-18] nobody was sent to where a redirect pointed, with or without a token', async () => {
  const [account, elsewhere] = [await createAccount(stack, 'hubspot'), await createAccount(stack, 'hubspot')];
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], account });
  const other = `${stack.sandboxUrl}/crm/v3/objects/contacts?of=${elsewhere.name}`;
  await account.fault({ match: { method: 'POST' }, action: { kind: 'redirect', location: other, status: 307 } });
  const { status } = await customer.write('contacts', { type: 'create', record: { email: 'a@example.com' } });
  expect(status).toBe(502);
  expect((await account.writes()).map((call) => [call.status, call.applied])).toEqual([[307, 0]]);
  expect(await account.records('contacts')).toEqual([]);
});
