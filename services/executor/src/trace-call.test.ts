import type { ClaimedCall, PendingRecord, RecordSettlement, Settlement } from '@sluice/store';
import { useSpanRecorder, type EndedStep } from '@sluice/telemetry';
import { CallTrace, traceOverdue } from './trace-call';

let recorded: EndedStep[] = [];
beforeEach(() => {
  recorded = [];
  useSpanRecorder({
    keeps: () => false,
    record: (steps) => void recorded.push(...steps),
    close: () => Promise.resolve(),
  });
});
afterEach(() => useSpanRecorder(undefined));

/** Made at 1 700 000 000 000 ms, as its first 48 bits say. */
const operationId = '018bcfe5-6800-7000-8000-000000000001';
const traceparentOf = (letter: string, flag = '00') => `00-${letter.repeat(32)}-${letter.repeat(16)}-${flag}`;
const call: ClaimedCall = {
  projectId: 'p1',
  operationId,
  number: 1,
  laneId: 'l1',
  connectionId: 'c1',
  objectName: 'contacts',
  type: 'create',
  mode: 'auto-batched',
  allOrNone: false,
  fence: 1,
  attempts: 0,
  crashCount: 0,
  isInDoubt: false,
  traceparent: traceparentOf('a'),
};
const pending: readonly PendingRecord[] = ['a', 'b', 'c'].map((letter, index) => ({
  index,
  plan: '{"fields":{"email":"canary@example.com"}}',
  sendState: 'none',
  leftMs: 1,
  accepted: { traceparent: traceparentOf(letter), at: new Date(1_700_000_000_000 + index) },
}));
const settled = (records: readonly RecordSettlement[]): Settlement => ({
  ...call,
  isCreate: true,
  records,
  next: { state: 'done' },
  orderKeys: [],
});
const error = { class: 'rejected', text: 'canary@example.com is taken' } as const;

function run(more: Partial<ClaimedCall>, records: readonly RecordSettlement[], reason?: string): EndedStep[] {
  const trace = new CallTrace({ call: { ...call, ...more }, claimedAtMs: performance.now(), source: 'message' });
  trace.load(pending);
  trace.end(reason === undefined ? settled(records) : undefined, reason);
  return recorded;
}
const backfilled = () => recorded.filter(({ name }) => name === 'write.accept').map(({ traceId }) => traceId[0]);

describe('a call', () => {
  it('that succeeded is not kept, unless its operation is', () => {
    expect(run({}, [{ index: 0, kind: 'succeeded' }])).toEqual([]);
    expect(run({ traceparent: traceparentOf('a', '01') }, [{ index: 0, kind: 'succeeded' }])).toMatchObject([
      {
        name: 'call.claim',
        facts: { operationId, recordsSucceeded: 1, recordsFailed: 0, attempt: 1, outcome: 'done' },
      },
    ]);
  });

  it('that failed for one record is kept, with the accept of that record and of the operation', () => {
    run({}, [
      { index: 0, kind: 'succeeded' },
      { index: 1, kind: 'succeeded' },
      { index: 2, kind: 'failed', error },
    ]);
    expect(backfilled()).toEqual(['c', 'a']);
    expect(recorded[0]).toMatchObject({ startedAtMs: 1_700_000_000_002 });
    expect(recorded[1]).toMatchObject({ startedAtMs: 1_700_000_000_000 });
    expect(recorded.at(-1)).toMatchObject({ failed: 'rejected', facts: { recordsFailed: 1, records: 3 } });
    expect(recorded.at(-1)?.links).toHaveLength(2);
    expect(JSON.stringify(recorded)).not.toContain('canary');
  });

  it.each<[string, RecordSettlement, string]>([
    ['unknown', { index: 0, kind: 'unknown', error }, 'rejected'],
    [
      'to do again after an error',
      { index: 0, kind: 'again', sendState: 'none', error: { class: 'quota', text: '' } },
      'quota',
    ],
  ])('whose record is %s has failed', (_what, record, failed) => {
    expect(run({}, [record]).at(-1)).toMatchObject({ failed });
  });

  it('that was interrupted has failed', () => {
    expect(run({}, [], 'service.unavailable').at(-1)).toMatchObject({ failed: 'service.unavailable' });
  });

  it.each([
    ['not again on a retry', { attempts: 3 }, 0],
    ['again by the lookup after a sender that died', { attempts: 1, isInDoubt: true }, 1],
  ])('reports its accepts %s', (_when, more, count) => {
    run(more, [{ index: 0, kind: 'failed', error }]);
    expect(backfilled()).toHaveLength(count);
    expect(recorded.at(-1)).toMatchObject({ name: 'call.claim' });
  });
});

it('records that a deadline ended are a failure of their own', () => {
  const reason = 'The provider refuses the credentials of the connection.';
  const records = [{ index: 0, orderKey: null, isSent: false }];
  traceOverdue({ ...call, provider: 'hubspot', reason, records, wasInDoubt: false, restInMs: undefined });
  expect(recorded).toMatchObject([
    { name: 'write.accept', facts: { isBackfilled: true } },
    { name: 'call.settle', failed: 'deadline', facts: { operationId, recordsFailed: 1 } },
  ]);
});
