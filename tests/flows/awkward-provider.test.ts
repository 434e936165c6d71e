import { createAccount } from '../harness/account';
import { createCustomer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { drive, type Driven } from './awkward/drive';
import { rows } from './awkward/rows';

const stack = sharedStack();
const driven = new Map<string, Promise<Driven>>();
beforeAll(async () => {
  // Most of a row is waiting until a lookup is conclusive, so all wait together.
  for (const row of rows) driven.set(row.name, drive(stack, row));
  for (const each of driven.values()) each.catch(() => undefined);
});

// Never a success without evidence, never a duplicate: the real gateway and executor, and the CRM's own records.
it.each(rows.map((row) => [row.name, row] as const))(
  '[sec-22] %s',
  async (name, { records = 1, requests = 1, sends }) => {
    const seen = await driven.get(name);
    const each = Array.from({ length: records * requests }, () => undefined);
    expect(seen?.kept).toEqual(each.map(() => 1));
    expect(seen?.outcomes).toEqual(each.map(() => 'succeeded'));
    expect(seen?.sends).toBe(sends ?? seen?.sends);
  },
);

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

  it('an email in other letters is the same: refused, and one record', async () => {
    const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
    const create = (email: string) => customer.write('contacts', { type: 'create', record: { email } });
    expect((await create('Zoe@Example.com')).status).toBe(200);
    const { status, body } = await create('zoe@example.COM');
    expect([status, body.errors[0]?.message]).toEqual([422, expect.stringContaining('already exists')]);
    expect(await customer.account.records('contacts')).toHaveLength(1);
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
  const location = `${stack.sandboxUrl}/crm/v3/objects/contacts?of=${elsewhere.name}`;
  await account.fault({ match: { method: 'POST' }, action: { kind: 'redirect', location, status: 307 } });
  const { status } = await customer.write('contacts', { type: 'create', record: { email: 'a@example.com' } });
  expect(status).toBe(502);
  expect((await account.writes()).map((call) => [call.status, call.applied])).toEqual([[307, 0]]);
  expect(await account.records('contacts')).toEqual([]);
});
