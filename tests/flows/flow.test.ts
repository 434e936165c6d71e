import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@sluice/testkit';
import { call } from '../harness/api';
import { startSystem, type System } from '../harness/system';

const page = readFileSync(join(__dirname, '../../docs/FLOW.md'), 'utf8');
const events = [...page.matchAll(/^\| \d+ \|.*\| (`.*`) \|$/gm)].flatMap(([, cell = '']) =>
  cell.split(', ').map((event) => event.slice(1, -1)),
);

describe('a real auto-batched write', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ env: { SLUICE_LOG_LEVEL: 'debug' } });
  });
  afterAll(() => system.stop());

  it('takes the steps of the page, in its order', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const body = { ...system.body, type: 'create', mode: 'asynchronous', record: { email: 'flow@example.com' } };
    const { operationId } = await call<{ operationId: string }>(system.writeUrl, {
      key: system.key,
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      body: { ...body, autoBatchPolicy: { maxDelayMinutes: 1 } },
    });
    await until('the operation is final', async () => {
      const { status } = await system.operation(operationId);
      return status === 'in_progress' ? undefined : status;
    });
    const seen = await until('the last step is logged', async () => {
      const lines = system.logLines().filter((line) => line.traceparent?.includes(traceId));
      return lines.some((line) => line.event === 'operation.ended') ? lines : undefined;
    });
    const inOrder = seen.toSorted((a, b) => a.time.localeCompare(b.time)).map((line) => line.event);
    expect(events).toEqual(expect.arrayContaining(['write.accepted', 'call.settled', 'operation.ended']));
    expect(inOrder.filter((event) => events.includes(event))).toEqual(events);
  });
});
