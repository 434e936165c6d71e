import { createCustomer, type Customer } from '../harness/customer';
import { startRelay, type Relay } from '../harness/relay';
import { startStack, type OwnStack } from '../harness/stack';
import { hubspot, person, salesforce } from './crms';

let relay: Relay;
let stack: OwnStack;
beforeAll(async () => {
  const providerUrl = async (sandboxUrl: string): Promise<string> => {
    relay = await startRelay(sandboxUrl);
    return relay.url;
  };
  stack = await startStack({ providerUrl });
});
afterAll(async () => {
  await stack.stop();
  relay.close();
});

const headers = [
  { key: 'Sforce-Duplicate-Rule-Header', value: 'allowSave=true' },
  { key: 'X-Trace', value: 'a, b' },
];

describe('provider Y', () => {
  const { object, last } = salesforce;
  let customer: Customer;
  beforeAll(async () => {
    customer = await createCustomer(stack, { provider: 'salesforce', write: [object] });
  });
  const sentWith = (mark: string) => relay.calls.filter(({ method, body }) => method !== 'GET' && body.includes(mark));

  it('gets them on the outbound request of a single write [write.headers]', async () => {
    const record = person(salesforce, 'Head-1');
    expect(await customer.write(object, { type: 'create', record, headers })).toMatchObject({ status: 200 });
    expect(sentWith('Head-1')).toMatchObject([
      { headers: { 'sforce-duplicate-rule-header': 'allowSave=true', 'x-trace': 'a, b' } },
    ]);
    const plain = person(salesforce, 'Head-2');
    expect(await customer.write(object, { type: 'create', record: plain })).toMatchObject({ status: 200 });
    expect(sentWith('Head-2')[0]?.headers).not.toHaveProperty('x-trace');
  });

  it('gets them on batches, updates and asynchronous writes [write.headers]', async () => {
    const batch = [{ record: person(salesforce, 'Head-3') }, { record: person(salesforce, 'Head-4') }];
    const created = await customer.write(object, { type: 'create', batch, headers });
    expect(created).toMatchObject({ status: 200 });
    expect(sentWith('Head-3')).toMatchObject([{ headers: { 'x-trace': 'a, b' } }]);
    const record = { id: created.body.results[0]?.recordId, [last]: 'Head-5' };
    const update = await customer.write(object, { type: 'update', mode: 'asynchronous', record, headers });
    expect(await customer.ended(update.body.operationId)).toMatchObject({ status: 'success' });
    expect(sentWith('Head-5')).toMatchObject([{ headers: { 'x-trace': 'a, b' } }]);
  });

  it('gets those of each record of an auto-batch, and no other record has them [write.headers]', async () => {
    const join = (mark: string, more: object) =>
      customer.write(object, {
        type: 'create',
        mode: 'asynchronous',
        autoBatchPolicy: { maxDelayMinutes: 10 },
        record: person(salesforce, mark),
        ...more,
      });
    const { operationId } = (await join('HeadAuto-1', { headers })).body;
    await join('HeadAuto-2', { headers: [{ key: 'X-Trace', value: 'other' }] });
    await join('HeadAuto-3', {});
    expect(await customer.ended(operationId)).toMatchObject({ status: 'success' });
    const traceOf = (mark: string) => sentWith(mark).map((sent) => sent.headers['x-trace']);
    expect(['HeadAuto-1', 'HeadAuto-2', 'HeadAuto-3'].map(traceOf)).toEqual([['a, b'], ['other'], [undefined]]);
  });

  it('gets them on a delete [write.headers]', async () => {
    const config = { write: { objects: { [object]: { objectName: object, deletionSettings: { enabled: true } } } } };
    const deleting = await createCustomer(stack, { provider: 'salesforce', write: [object], config });
    const created = await deleting.write(object, { type: 'create', record: person(salesforce, 'Head-8') });
    const id = created.body.result.recordId;
    expect(await deleting.write(object, { type: 'delete', record: { id }, headers })).toMatchObject({ status: 200 });
    const sent = relay.calls.filter(({ method, path }) => method === 'DELETE' && path.includes(id));
    expect(sent).toMatchObject([{ headers: { 'x-trace': 'a, b' } }]);
  });

  it.each([
    ['no list', { key: 'X-Trace', value: 'a' }, 'headers'],
    ['an item without key', [{ value: 'a' }], 'headers[0].key'],
    ['an item without value', [{ key: 'X-Trace' }], 'headers[0].value'],
    ['a value that is a number', [{ key: 'X-Trace', value: 7 }], 'headers[0].value'],
  ])('needs key and value in each: %s is refused [write.headers]', async (_case, wrong, name) => {
    const record = person(salesforce, 'Head-6');
    const reply = await customer.write(object, { type: 'create', record, headers: wrong });
    expect(reply.status).toBe(400);
    expect(reply.body.issues.map((issue) => issue.name)).toContain(name);
    expect(sentWith('Head-6')).toEqual([]);
  });
});

it('provider X takes none [write.headers-provider]', async () => {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
  const reply = await customer.write('contacts', { type: 'create', record: person(hubspot, 'Head-7'), headers });
  expect(reply).toMatchObject({
    status: 400,
    body: { code: 'write.capability-missing', issues: [{ name: 'headers' }] },
  });
  expect(await customer.account.records('contacts')).toEqual([]);
});
