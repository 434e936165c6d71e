import { openDatabase } from '@sluice/store';
import { patientLimits, until } from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack, type LogLine, type OwnStack } from '../harness/stack';

let stack: OwnStack;
let customer: Customer;

// A minute lasts a minute, so an announcement of a batch that is not full waits a second for others.
beforeAll(async () => {
  stack = await startStack({ timeScale: 1, only: ['sandbox', 'management', 'write-gateway', 'batcher', 'executor'] });
  customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
});
afterAll(() => stack.stop());

/** Writes, and kills the gateway as soon as it has replied. @returns the operation; undefined if the gateway may have lived to announce it */
async function writeAndKill(email: string): Promise<string | undefined> {
  const sentAtMs = performance.now();
  const { status, body } = await customer.write('contacts', {
    type: 'create',
    mode: 'asynchronous',
    autoBatchPolicy: { maxDelayMinutes: 1 },
    record: { email },
  });
  expect(status).toBe(200);
  await stack.processes.kill('write-gateway', 'SIGKILL');
  if (performance.now() - sentAtMs < 1_000) return body.operationId;
  await stack.processes.start('write-gateway');
  return undefined;
}

/** The batch's minute is over. */
async function makeDue(operationId: string): Promise<void> {
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'test', limits: patientLimits });
  await database('open_batches').where({ operation_id: operationId }).update({ due_at: database.fn.now() });
  await database.destroy();
}

describe('a gateway that dies after its reply and before its announcement', () => {
  it('leaves a batch that the sweep flushes when it is due', async () => {
    let tries = 0;
    const operationId = await until('the gateway dies in time', () =>
      writeAndKill(`unannounced-${(tries += 1)}@example.com`),
    );
    expect((await customer.operation(operationId)).status).toBe('in_progress');
    await makeDue(operationId);
    expect((await customer.ended(operationId)).status).toBe('success');
    const flushed = await until('the flush is logged', async () =>
      (stack.logLines() as (LogLine & { operationId?: string; source?: string })[]).find(
        (line) => line.event === 'batch.flushed' && line.operationId === operationId,
      ),
    );
    expect(flushed.source).toBe('sweep');
  });
});
