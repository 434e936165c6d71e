import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { createProject } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { crms, hubspot, person } from './crms';

let marks = 0;
/** What moments of two processes of one machine, in whole milliseconds, may be off. */
const clockMs = 20;

// A minute lasts a second.
const stack = sharedStack();

describe.each(crms)('%s: auto-batching', (provider, crm) => {
  const { object, last, first } = crm;
  let customer: Customer;
  beforeEach(async () => {
    customer = await createCustomer(stack, { provider, write: [object] });
  });
  const join = async (mark: string, maxDelayMinutes: number, to: Customer = customer): Promise<string> => {
    const record = person(crm, mark);
    const reply = await to.write(object, {
      type: 'create',
      mode: 'asynchronous',
      autoBatchPolicy: { maxDelayMinutes },
      record,
    });
    expect(reply.status).toBe(200);
    return reply.body.operationId;
  };
  /** Milliseconds from the acceptance of an operation to its first call at the provider, by the clock that both have. */
  const waitedMs = async (operationId: string): Promise<number> => {
    const { createTime = '' } = await customer.operation(operationId);
    const [earliest] = await customer.account.writes();
    return Date.parse(earliest?.at ?? '') - Date.parse(createTime);
  };
  const joinMany = (count: number, mark: string, minutes: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => join(`${mark}-${index}`, minutes)));

  it('100 records execute at once, long before the delay, and the 101st opens another batch [write.rule-3-executes] [limits.auto-batch-size] [write.rule-3]', async () => {
    const beforeLast = await joinMany(99, 'Full', 1440);
    const [master = ''] = beforeLast;
    expect(new Set(beforeLast).size).toBe(1);
    await sleep(700);
    expect(await customer.operation(master)).toMatchObject({ status: 'in_progress' });
    expect(await customer.account.records(object)).toHaveLength(0);
    expect(await join('Full-99', 1440)).toBe(master);
    const next = await join('Next', 1440);
    expect(next).not.toBe(master);
    expect(await customer.ended(master)).toMatchObject({ status: 'success' });
    const names = (await customer.account.records(object)).map(({ fields }) => String(fields[last]));
    expect(names.toSorted()).toEqual(Array.from({ length: 100 }, (_, index) => `Full-${index}`).toSorted());
    const carried = (await customer.account.writes()).map(({ records }) => records);
    expect(carried.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(Math.max(...carried)).toBeGreaterThan(1);
    expect(await customer.operation(next)).toMatchObject({ status: 'in_progress' });
  });

  it('fewer execute when the max delay is reached, not before [write.rule-3-executes] [operation-status.auto-batched]', async () => {
    const [one, two] = await Promise.all([join('Due-1', 3), join('Due-2', 3)]);
    expect(two).toBe(one);
    expect(await customer.ended(one)).toMatchObject({ status: 'success' });
    expect(await waitedMs(one)).toBeGreaterThanOrEqual(3_000 - clockMs);
    expect(await customer.account.records(object)).toHaveLength(2);
  });

  it('is in progress while it executes too [operation-status.auto-batched]', async () => {
    await customer.account.fault({ match: { method: 'POST' }, action: { kind: 'slow', delayMs: 2_500 } });
    const master = await join('Executing', 1);
    await until('the batch is sealed: another opens', async () =>
      (await join(`Executing-${(marks += 1)}`, 1440)) === master ? undefined : true,
    );
    expect(await customer.operation(master)).toMatchObject({ status: 'in_progress' });
    expect(await customer.ended(master)).toMatchObject({ status: 'success' });
  });

  it('the first record sets the deadline, whatever a later one asks for [write.rule-3-deadline]', async () => {
    const master = await join('First', 4);
    expect(await join('Hurried', 1)).toBe(master);
    expect(await customer.ended(master)).toMatchObject({ status: 'success' });
    expect(await waitedMs(master)).toBeGreaterThanOrEqual(4_000 - clockMs);
    const soon = await join('Soon', 4);
    expect(await join('Patient', 1440)).toBe(soon);
    // The patient one's minutes are 24 of ours, which nobody waits for here.
    expect(await customer.ended(soon)).toMatchObject({ status: 'success' });
  });

  it('groups by installation and by type [write.rule-3]', async () => {
    const other = await createCustomer(stack, { provider, write: [object], project: customer.project });
    const created = await customer.write(object, { type: 'create', record: person(crm, 'Existing') });
    const record = { id: created.body.result.recordId, [first]: 'Zoë' };
    const policy = { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } };
    const update = await customer.write(object, { type: 'update', ...policy, record });
    const ids = [await join('Type', 10), update.body.operationId, await join('Installation', 1, other)];
    expect(new Set(ids).size).toBe(3);
    expect(await join('Type-2', 1)).toBe(ids[0]);
    await Promise.all(ids.map((id) => customer.ended(id)));
    expect((await customer.account.record(object, record.id))?.fields[first]).toBe('Zoë');
    expect(await other.account.records(object)).toHaveLength(1);
  });

  it('the id is that of the master operation, which has every record [get-operation.auto-batched] [service.rule-6]', async () => {
    const ids = await joinMany(5, 'Master', 8);
    const [master = ''] = ids;
    expect(new Set(ids).size).toBe(1);
    const { status, metadata } = await customer.ended(master);
    expect(status).toBe('success');
    const stored = await customer.account.records(object);
    expect(metadata?.successfulRecordIds?.toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
    expect(await customer.recordsOf(master)).toHaveLength(5);
  });
});

describe('autoBatchPolicy', () => {
  let customer: Customer;
  beforeAll(async () => {
    customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
  });
  const record = person(hubspot, 'Policy');
  const autoBatchPolicy = { maxDelayMinutes: 1 };

  it.each([
    ['synchronous mode', { mode: 'synchronous', record, autoBatchPolicy }],
    ['no mode', { record, autoBatchPolicy }],
    ['a batch', { mode: 'asynchronous', batch: [{ record }], autoBatchPolicy }],
  ])('is refused with %s [write.auto-batch-policy]', async (_case, body) => {
    const reply = await customer.write('contacts', { type: 'create', ...body });
    expect(reply).toMatchObject({ status: 400 });
    expect(reply.body.issues.map(({ name }) => name)).toContain('autoBatchPolicy');
  });

  it.each([{}, { maxDelayMinutes: 1.5 }, { maxDelayMinutes: '1' }, { maxDelayMinutes: null }])(
    'is refused as %j: maxDelayMinutes is a required integer [write.auto-batch-max-delay]',
    async (policy) => {
      const body = { type: 'create', mode: 'asynchronous', record, autoBatchPolicy: policy };
      const reply = await customer.write('contacts', body);
      expect(reply).toMatchObject({ status: 400, body: { issues: [{ name: 'autoBatchPolicy.maxDelayMinutes' }] } });
    },
  );

  it('is of one object: two objects are two batches [write.rule-3]', async () => {
    const project = await createProject(stack);
    const write = ['contacts', hubspot.other.object];
    const two = await createCustomer(stack, { provider: 'hubspot', write, project });
    const body = { type: 'create', mode: 'asynchronous', autoBatchPolicy };
    const contact = await two.write('contacts', { ...body, record });
    const company = await two.write(hubspot.other.object, { ...body, record: hubspot.other.record('Acme') });
    expect(contact.body.operationId).not.toBe(company.body.operationId);
    expect(await two.ended(contact.body.operationId)).toMatchObject({ status: 'success', resource: 'contacts' });
    expect(await two.ended(company.body.operationId)).toMatchObject({ resource: hubspot.other.object });
  });
});
