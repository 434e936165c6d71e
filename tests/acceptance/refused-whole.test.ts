import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';

const stack = sharedStack();
/** Closed by its hundredth record alone; two days of retries are 48 minutes of ours. */
const full = { maxDelayMinutes: 1440, retryDeadlineHours: 48 };
/** Closed after two seconds, which may come before its last record: what happens is the same. */
const soon = { maxDelayMinutes: 2, retryDeadlineHours: 48 };

/** What became of automatically batched records, in their order. */
async function autoBatched(customer: Customer, object: string, records: readonly object[], autoBatchPolicy: object) {
  const replies = await Promise.all(
    records.map((record) => customer.write(object, { type: 'create', mode: 'asynchronous', autoBatchPolicy, record })),
  );
  const outcomes = [...new Set(replies.map(({ body }) => body.operationId))].map((id) => outcomesOf(customer, id));
  return (await Promise.all(outcomes)).flat();
}

async function outcomesOf(customer: Customer, operationId: string) {
  await customer.ended(operationId, 240_000);
  const records = await customer.recordsOf(operationId);
  return records.map(({ status, error }) => [status, error?.class, error?.message]);
}

async function inOneBatch(customer: Customer, object: string, records: readonly object[]) {
  const batch = records.map((record) => ({ record }));
  const reply = await customer.write(object, { type: 'create', mode: 'asynchronous', batch });
  return await outcomesOf(customer, reply.body.operationId);
}

const written = ['succeeded', undefined, undefined];

// Of HubSpot one known contact refuses a whole call, and the reply does not say whose it is.
const known = 'Contact already exists. Existing ID: 512';
describe.each([
  { status: 409, body: { status: 'error', category: 'CONFLICT', message: known }, failure: 'conflict' },
  { status: 400, body: { status: 'error', category: 'VALIDATION_ERROR', message: known }, failure: 'rejected' },
])('hubspot: a call that is refused with $status for one of its contacts', ({ status, body, failure }) => {
  let customer: Customer;
  beforeEach(async () => {
    customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
    const match = { method: 'POST', carries: 'known@b.co' };
    await customer.account.fault({ times: 0, match, action: { kind: 'status', status, body } });
  });
  const own = ['failed', failure, known];
  const recordsWith = (at: number) =>
    [0, 1, 2, 3].map((index) => ({ email: index === at ? 'known@b.co' : `new-${index}@b.co` }));
  const stored = async () =>
    new Set((await customer.account.records('contacts')).map(({ fields }) => String(fields['email'])));

  it.each([0, 1, 3])('number %i of four: the others are written', async (at) => {
    const outcomes = await inOneBatch(customer, 'contacts', recordsWith(at));
    expect(outcomes).toEqual([0, 1, 2, 3].map((index) => (index === at ? own : written)));
    expect(await stored()).toEqual(new Set([0, 1, 2, 3].filter((index) => index !== at).map((n) => `new-${n}@b.co`)));
    expect((await customer.account.writes()).length).toBeLessThanOrEqual(1 + 2 * Math.log2(4));
  });

  it('the writes of an automatic batch are of several callers: one of them fails', async () => {
    const outcomes = await autoBatched(customer, 'contacts', recordsWith(2), soon);
    expect(outcomes.filter(([outcome]) => outcome === 'failed')).toEqual([own]);
    expect(outcomes).toHaveLength(4);
    expect(await stored()).toEqual(new Set(['new-0@b.co', 'new-1@b.co', 'new-3@b.co']));
  });
});

// A missing permission concerns every record, and what is all or none fails as a whole.
it.each([
  {
    name: 'a missing permission',
    mode: 'asynchronous',
    status: 403,
    body: { category: 'MISSING_SCOPES', message: 'no scope' },
  },
  {
    name: 'all or none',
    mode: 'synchronous',
    batchPolicy: { allOrNone: true },
    status: 409,
    body: { category: 'CONFLICT', message: 'is there' },
  },
])('hubspot: $name is one call', async ({ mode, batchPolicy, status, body }) => {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
  await customer.account.fault({ times: 0, match: { method: 'POST' }, action: { kind: 'status', status, body } });
  const batch = [0, 1, 2, 3].map((index) => ({ record: { email: `all-${index}@b.co` } }));
  const reply = await customer.write('contacts', { type: 'create', mode, batch, ...(batchPolicy && { batchPolicy }) });
  if (mode === 'asynchronous') await customer.ended(reply.body.operationId);
  expect(await customer.account.writes()).toHaveLength(1);
  expect(await customer.account.records('contacts')).toEqual([]);
});

// Salesforce runs the code of the account for all records of a call at once, within limits.
it.each([
  ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'AccTrigger: System.LimitException: Apex CPU time limit exceeded'],
  ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'AccTrigger: System.LimitException: Too many SOQL queries: 101'],
  ['CANNOT_EXECUTE_FLOW_TRIGGER', 'The record could not be saved: npsp:Too many query rows: 50001'],
])(
  'salesforce: %s, %s: a hundred are written in smaller calls, and later batches begin with them',
  async (category, message) => {
    const customer = await createCustomer(stack, { provider: 'salesforce', write: ['Account', 'Contact'] });
    const inputs = Array.from({ length: 200 }, (_, index) => index);
    const match = { method: 'POST', recordsMin: 11 };
    await customer.account.fault({ times: 0, match, action: { kind: 'partial', inputs, category, message } });
    const named = (mark: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({ Name: `${mark}-${at}` }));
    const sent = async () => (await customer.account.writes()).map(({ records }) => records);

    expect(await autoBatched(customer, 'Account', named('First', 100), full)).toEqual(
      inputs.slice(0, 100).map(() => written),
    );
    const first = await sent();
    expect(first.filter((records) => records > 10)).toEqual([100, 25, 25, 25, 25]);
    expect(first).toHaveLength(21);

    expect(await inOneBatch(customer, 'Account', named('Later', 20))).toEqual(inputs.slice(0, 20).map(() => written));
    const later = (await sent()).slice(first.length);
    expect(later.toSorted((a, b) => a - b)).toEqual([6, 7, 7]);
    const names = (await customer.account.records('Account')).map(({ fields }) => String(fields['Name']));
    expect(new Set(names).size).toBe(120);
    expect(names).toHaveLength(120);
  },
);
