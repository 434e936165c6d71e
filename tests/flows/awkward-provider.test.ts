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
  ['a redirect to a link-local address', { action: { kind: 'redirect', location }, sends: 2 }],
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
