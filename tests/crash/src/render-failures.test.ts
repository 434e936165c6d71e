import type { FailedRequest } from '../../faults/harness/client-ledger';
import { renderFailures } from './render-failures';

const customer = { account: { provider: 'hubspot' } } as FailedRequest['customer'];
const sent = { way: 'sync', customer, marker: 'crash-7', sentAtMs: 1_000, answeredAtMs: 7_250 } as const;
const log = [{ severity: 'ERROR', message: { msg: 'Call 1 was answered: unavailable.' } }];

it('shows for each failed request its time, duration and body, and the log of its operation', async () => {
  const body = { code: 'provider.unavailable', detail: 'Not sent', operationId: 'o1', requestId: 'r1' };
  const asked: string[] = [];
  const lines = await renderFailures([{ ...sent, status: 502, body }], async (_, operationId) => {
    asked.push(operationId);
    return await Promise.resolve(log);
  });
  expect(lines).toEqual([
    `failed: 502 at 1970-01-01T00:00:07.250Z after 6250 ms (sync, hubspot, crash-7): ${JSON.stringify(body)}`,
    `  operation o1: ${JSON.stringify(log)}`,
  ]);
  expect(asked).toEqual(['o1']);
});

it('shows a request without a reply, and an operation that cannot be read', async () => {
  const gone = () => Promise.reject(new Error('404'));
  const lost = { ...sent, status: -1 };
  const unread = { ...sent, status: 504, body: { operationId: 'o2' } };
  expect(await renderFailures([lost, unread], gone)).toEqual([
    'failed: reply lost at 1970-01-01T00:00:07.250Z after 6250 ms (sync, hubspot, crash-7)',
    'failed: 504 at 1970-01-01T00:00:07.250Z after 6250 ms (sync, hubspot, crash-7): {"operationId":"o2"}',
    '  operation o2: "Error: 404"',
  ]);
});
