import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { badPerson, crms, person } from './crms';

const stack = sharedStack();

// Through the real processes, from the request to the CRM.
describe.each(crms)('%s: cancel and replay', (provider, crm) => {
  const { object } = crm;
  let customer: Customer;
  beforeEach(async () => {
    customer = await createCustomer(stack, { provider, write: [object] });
  });
  const write = async (body: object): Promise<string> => {
    const reply = await customer.write(object, { type: 'create', mode: 'asynchronous', ...body });
    expect(reply.status).toBe(200);
    return reply.body.operationId;
  };
  const join = (mark: string) => write({ record: person(crm, mark), autoBatchPolicy: { maxDelayMinutes: 1440 } });
  const management = () => customer.project.client.management;

  it('an auto-batch is cancelled before anything of it left, and the next record opens another one', async () => {
    const id = await join('Cancelled-1');
    expect(await join('Cancelled-2')).toBe(id);
    await management().cancelOperation({ operationId: id });
    expect(await join('Next')).not.toBe(id);
    expect(await customer.ended(id)).toMatchObject({ status: 'failure' });
    const cancelled = { status: 'failed', error: { class: 'cancelled' } };
    expect(await customer.recordsOf(id)).toMatchObject([cancelled, cancelled]);
    expect(await customer.account.records(object)).toEqual([]);
    const log = await management().listOperationLogs({ operationId: id });
    expect(log.map(({ message }) => message.msg)).toEqual([
      `Accepted: auto-batched create of ${object}.`,
      'A cancel was asked for.',
      expect.stringMatching(/^The batch was sealed: 2 records in \d calls?\.$/),
      '2 records ended as failed (cancelled).',
      'The operation failed: 0 written, 2 not.',
    ]);
  });

  it('what was cancelled is replayed: each record is in the CRM once, however often it is asked for', async () => {
    const id = await join('Replayed-1');
    await join('Replayed-2');
    await management().cancelOperation({ operationId: id });
    await customer.ended(id);
    const asked = await Promise.all(Array.from({ length: 5 }, () => management().replayOperation({ operationId: id })));
    const [again = ''] = asked.map((operation) => operation.id);
    expect(asked.every((operation) => operation.id === again)).toBe(true);
    expect(await customer.ended(again)).toMatchObject({ status: 'success' });
    expect(await customer.account.records(object)).toHaveLength(2);
    const { results } = await management().listOperations({
      integrationId: customer.integrationId,
      installationId: customer.installationId,
    });
    expect(results.map((operation) => operation.id)).toEqual([again, id]);
  });

  it('only the failed records of a batch are replayed', async () => {
    const id = await write({ batch: [{ record: person(crm, 'Good') }, { record: badPerson(crm, 'Bad') }] });
    await customer.ended(id);
    const { id: again } = await management().replayOperation({ operationId: id });
    expect(await customer.ended(again)).toMatchObject({ status: 'failure' });
    expect(await customer.recordsOf(again)).toHaveLength(1);
    expect(await customer.account.records(object)).toHaveLength(1);
  });
});
