import type { SealedRecord } from '@sluice/store';
import { readTraceparent, useSpanRecorder, type EndedStep } from '@sluice/telemetry';
import { markSampled, startFlush } from './flush-batch';

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

const operationId = '01985cf0-7c00-7000-8000-000000000001';
const traceparentOf = (letter: string, flag: string) => `00-${letter.repeat(32)}-${letter.repeat(16)}-${flag}`;
const record = (index: number, traceparent: string): SealedRecord => ({
  index,
  connectionId: 'c1',
  headersKey: '',
  isBehindAnother: false,
  planBytes: 1,
  accepted: { traceparent, at: new Date(1_700_000_000_000 + index) },
});
const calls = [
  { number: 1, connectionId: 'c1', recordIndexes: [0, 1], planBytes: 1 },
  { number: 2, connectionId: 'c1', recordIndexes: [2], planBytes: 1 },
];

function flush(records: readonly SealedRecord[], traceparent: string) {
  const names = { operationId, projectId: 'p1', source: 'message', provider: 'hubspot', type: 'create' } as const;
  startFlush({ ...names, traceparent, records, startedAtMs: performance.now() }).end();
  return recorded;
}

describe('a flush', () => {
  const opened = traceparentOf('a', '00');

  it('of records that nobody kept is not kept', () => {
    expect(flush([record(0, opened), record(1, traceparentOf('b', '00'))], opened)).toEqual([]);
  });

  it('is kept when one of its records is; its parent accept is backfilled, the others are linked to', () => {
    const records = [record(0, opened), record(1, traceparentOf('b', '01')), record(2, traceparentOf('c', '00'))];
    const [backfilled, own, ...more] = flush(records, opened);
    expect(more).toEqual([]);
    expect(backfilled).toMatchObject({
      name: 'write.accept',
      spanId: 'a'.repeat(16),
      facts: { isBackfilled: true, operationId },
    });
    expect(own).toMatchObject({
      name: 'batch.flush',
      parentSpanId: 'a'.repeat(16),
      facts: { records: 3, source: 'message' },
    });
    expect(own?.links.map(({ context, facts }) => [context.traceId[0], facts])).toEqual([
      ['b', { index: 1 }],
      ['c', { index: 2 }],
    ]);
  });
});

describe('its calls', () => {
  const sampledOf = (traceparent: string, records: readonly SealedRecord[]) =>
    markSampled(calls, { traceparent, records }).map((call) => readTraceparent(call.traceparent)?.isSampled);

  it('are sampled when one of their own records is, in the trace of the operation', () => {
    const records = [
      record(0, traceparentOf('a', '00')),
      record(1, traceparentOf('b', '01')),
      record(2, traceparentOf('c', '00')),
    ];
    const [first, second] = markSampled(calls, { traceparent: traceparentOf('a', '00'), records });
    expect([first?.traceparent, second?.traceparent]).toEqual([traceparentOf('a', '01'), undefined]);
  });

  it.each([
    ['when the operation is sampled anyway', '01', '01'],
    ['when no record is', '00', '00'],
  ])('keep the parent of the operation %s', (_when, operation, flag) => {
    expect(sampledOf(traceparentOf('a', operation), [record(0, traceparentOf('b', flag))])).toEqual([
      undefined,
      undefined,
    ]);
  });
});
