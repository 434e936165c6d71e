import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { hubspot, person } from './crms';

const stack = sharedStack();
let customer: Customer;
beforeAll(async () => {
  customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
});

const record = person(hubspot, 'Limit');
const single = { record };
const batch = { batch: [{ record }] };
const hours = (deadlineHours: number) => ({ retryPolicy: { deadlineHours } });
const delay = (maxDelayMinutes: number) => ({ autoBatchPolicy: { maxDelayMinutes } });
const batchHours = (retryDeadlineHours: number) => ({ autoBatchPolicy: { maxDelayMinutes: 1440, retryDeadlineHours } });

interface Limit {
  readonly id: string;
  readonly field: string;
  readonly form: object;
  readonly policy: (value: number) => object;
  readonly taken: readonly number[];
  readonly refused: readonly number[];
}
const edges = { taken: [1, 48], refused: [-1, 0, 49] };
const limits: Limit[] = [
  {
    id: '[limits.max-delay]',
    field: 'autoBatchPolicy.maxDelayMinutes',
    form: single,
    policy: delay,
    taken: [1, 1440],
    refused: [-1, 0, 1441],
  },
  { id: '[limits.retry-deadline]', field: 'retryPolicy.deadlineHours', form: single, policy: hours, ...edges },
  { id: '[limits.retry-deadline]', field: 'retryPolicy.deadlineHours', form: batch, policy: hours, ...edges },
  {
    id: '[limits.auto-batch-retry-deadline]',
    field: 'autoBatchPolicy.retryDeadlineHours',
    form: single,
    policy: batchHours,
    ...edges,
  },
];

// Each limit at its edge and one beyond it.
describe.each(limits)('$id $field', ({ field, form, policy, taken, refused }) => {
  const write = (value: number) =>
    customer.write('contacts', { type: 'create', mode: 'asynchronous', ...form, ...policy(value) });

  it.each(taken)('takes %d', async (value) => {
    expect(await write(value)).toMatchObject({ status: 200, body: { operationId: expect.any(String) } });
  });

  it.each(refused)('refuses %d, naming the field', async (value) => {
    const reply = await write(value);
    expect(reply).toMatchObject({ status: 400, body: { issues: [{ name: field }] } });
    expect(reply.body).not.toHaveProperty('operationId');
  });
});

it('takes a deadline only as a whole number [limits.retry-deadline] [limits.auto-batch-retry-deadline]', async () => {
  for (const policy of [hours(1.5), batchHours(1.5), { retryPolicy: { deadlineHours: '1' } }]) {
    const body = { type: 'create', mode: 'asynchronous', record, ...policy };
    expect(await customer.write('contacts', body)).toMatchObject({ status: 400 });
  }
});
