import { Writable } from 'node:stream';
import { createLogger } from '../logger';
import {
  asStep,
  currentStep,
  outsideSteps,
  readTraceparent,
  startStep,
  useSpanRecorder,
  type StepOptions,
} from './step';
import type { AcceptedRecord, EndedStep, SpanRecorder } from './recorder';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const sampled = `00-${traceId}-00f067aa0ba902b7-01`;
const dropped = `00-${traceId}-00f067aa0ba902b7-00`;

let recorded: EndedStep[];
let batches: number;
/** Keeps every record in memory; a trace without a decision is kept when its caller says so. */
const recorder: SpanRecorder = {
  keeps: (_traceId, caller) => caller?.isSampled === true,
  record: (steps) => {
    batches += 1;
    recorded.push(...steps);
  },
  close: () => Promise.resolve(),
};
beforeEach(() => {
  [recorded, batches] = [[], 0];
  useSpanRecorder(recorder);
});
afterEach(() => useSpanRecorder(undefined));

const start = (options: Partial<StepOptions> = {}) =>
  startStep({ service: 'executor', name: 'call.claim', kind: 'message', parent: dropped, ...options });
const names = () => recorded.map(({ name }) => name);

describe('a trace without a failure', () => {
  it('is not recorded when it is not sampled', () => {
    const step = start({ facts: { operationId: 'o1' } });
    step.child('call.perform').end();
    step.past('hubspot create', { durationMs: 5, facts: { status: 201 } });
    step.end();
    expect(recorded).toEqual([]);
  });

  it('is recorded in one batch when its first step ends, if it is sampled', () => {
    const step = start({ parent: sampled, facts: { operationId: 'o1' } });
    const child = step.child('call.perform', { records: 2 });
    child.end();
    expect(recorded).toEqual([]);
    step.note({ outcome: 'done' });
    step.end();
    step.end();
    expect(batches).toBe(1);
    expect(names()).toEqual(['call.perform', 'call.claim']);
    const [inner, outer] = recorded;
    expect(outer).toMatchObject({
      traceId,
      parentSpanId: '00f067aa0ba902b7',
      facts: { operationId: 'o1', outcome: 'done' },
    });
    expect(inner).toMatchObject({
      traceId,
      parentSpanId: outer?.spanId,
      kind: 'work',
      facts: { operationId: 'o1', records: 2 },
    });
    expect(readTraceparent(step.traceparent)).toEqual({ traceId, spanId: outer?.spanId, isSampled: true });
    expect(outer?.endedAtMs).toBeGreaterThanOrEqual(outer?.startedAtMs ?? Infinity);
  });
});

describe('a trace with a failure', () => {
  it.each<[string, (step: ReturnType<typeof start>) => void]>([
    ['of its first step', (step) => step.end('deadline')],
    ['of a step inside', (step) => (step.child('call.perform').end('quota'), step.end())],
    ['of a provider call', (step) => (step.past('x', { durationMs: 1, facts: {}, failed: 'timeout' }), step.end())],
  ])('%s is recorded completely, although it is not sampled', (_whose, fail) => {
    const step = start();
    step.child('call.settle').end();
    fail(step);
    expect(names()).toEqual(expect.arrayContaining(['call.settle', 'call.claim']));
    expect(recorded.filter(({ failed }) => failed !== undefined)).toHaveLength(1);
  });

  it('is recorded from the failure on when that comes after the end', () => {
    const step = start();
    const [well, badly] = [step.child('call.settle'), step.child('call.settle')];
    step.end();
    well.end();
    badly.end('service.unavailable');
    expect(recorded).toMatchObject([{ failed: 'service.unavailable' }]);
  });

  it('backfills the accepts that it concerns and nobody kept, with their own ids', () => {
    const at = new Date('2026-11-21T10:00:00Z');
    const [kept, own, other] = ['01', '00', '00'].map(
      (flag, n) => `00-${'abc'[n]?.repeat(32)}-${'abc'[n]?.repeat(16)}-${flag}`,
    );
    const accepted: AcceptedRecord[] = [
      { traceparent: kept ?? '', acceptedAt: at, index: 0, isConcerned: true },
      { traceparent: own ?? '', acceptedAt: at, index: 1, isConcerned: true },
      { traceparent: own ?? '', acceptedAt: at, isConcerned: true },
      { traceparent: other ?? '', acceptedAt: at, index: 2 },
      { traceparent: own ?? '', acceptedAt: new Date(NaN), index: 3, isConcerned: true },
    ];
    start({ facts: { operationId: 'o1' }, accepted: () => accepted }).end('rejected');
    const backfilled = recorded.filter(({ name }) => name === 'write.accept');
    const facts = { isBackfilled: true, operationId: 'o1', index: 1 };
    const ids = { traceId: 'b'.repeat(32), spanId: 'b'.repeat(16) };
    expect(backfilled).toEqual([
      expect.objectContaining({ ...ids, facts, startedAtMs: at.getTime(), endedAtMs: at.getTime() }),
    ]);
    expect(recorded.at(-1)?.links.map(({ context, facts: { index } }) => [context.traceId[0], index])).toEqual([
      ['a', 0],
      ['b', 1],
      ['b', undefined],
      ['c', 2],
      ['b', 3],
    ]);
  });
});

describe('the sampling decision', () => {
  it('is made by the recorder for a caller’s trace, and by the row for our own', () => {
    const ofCaller = start({ isOfCaller: true, parent: sampled });
    const unknown = start({ isOfCaller: true, parent: undefined });
    const flags = [ofCaller, unknown, start({ parent: sampled }), start()].map((s) => s.traceparent.slice(-2));
    expect(flags).toEqual(['01', '00', '01', '00']);
  });

  it('may be overruled for another trace; its parent accept is backfilled then', () => {
    const accepted = [{ traceparent: dropped, acceptedAt: new Date(0) }];
    const step = start({ isSampled: true, accepted: () => accepted });
    expect(step.traceparent).toMatch(/-01$/);
    step.end();
    expect(recorded).toMatchObject([
      { name: 'write.accept', spanId: '00f067aa0ba902b7' },
      { name: 'call.claim', links: [] },
    ]);
  });

  it('an absent or broken parent starts a new trace', () => {
    const ids = ['', 'nonsense', undefined].map((parent) => start({ parent }).traceparent.split('-')[1]);
    expect(new Set([...ids, traceId]).size).toBe(4);
  });
});

describe('the scope', () => {
  it('covers work that is awaited, ends with it, and can be left', async () => {
    const step = start();
    await step.run(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(currentStep()).toBe(step);
      expect(outsideSteps(() => currentStep())).toBeUndefined();
    });
    expect(currentStep()).toBeUndefined();
  });

  it('asStep returns the result of the work, and ends with the error it throws', async () => {
    const step = start();
    const thrown = Object.assign(new Error('secret text'), { code: 'store.unavailable' });
    await step.run(async () => {
      expect(
        await asStep(
          'a',
          {},
          () => Promise.resolve(7),
          () => undefined,
        ),
      ).toBe(7);
      await expect(asStep('b', {}, () => Promise.reject(thrown))).rejects.toBe(thrown);
      await asStep(
        'c',
        {},
        () => Promise.resolve('x'),
        (text) => `class of ${text}`,
      );
    });
    step.end();
    expect(recorded.map(({ name, failed }) => [name, failed])).toEqual([
      ['a', undefined],
      ['b', 'store.unavailable'],
      ['c', 'class of x'],
      ['call.claim', undefined],
    ]);
  });

  it.each([
    ['with', recorder],
    ['without', undefined],
  ] as const)('%s a recorder, log lines carry its ids', (_with, given) => {
    useSpanRecorder(given);
    const lines: Record<string, unknown>[] = [];
    const destination = new Writable({
      write: (chunk: Buffer, _encoding, done) => (lines.push(JSON.parse(chunk.toString()) as never), done()),
    });
    const logger = createLogger({ service: 'test', destination });
    const step = start({ logged: { requestId: 'r1' } });
    step.note({ operationId: 'o1' });
    step.run(() => logger.info({ a: 1 }, 'test.inside'));
    logger.info({ a: 1 }, 'test.outside');
    expect(lines[0]).toMatchObject({ trace_id: traceId, requestId: 'r1', operationId: 'o1', a: 1 });
    expect(lines[0]?.['span_id']).toBe(readTraceparent(step.traceparent)?.spanId);
    expect(lines[1]).not.toHaveProperty('trace_id');
  });
});

describe('without a recorder', () => {
  beforeEach(() => useSpanRecorder(undefined));

  it('a step passes on its position in the trace, and everything else does nothing', async () => {
    const step = start({ parent: sampled });
    expect(step.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    expect(step.child('x')).toBe(step);
    step.past('x', { durationMs: 1, facts: {}, failed: 'y' });
    step.end('z');
    expect(await asStep('x', {}, () => Promise.resolve(1))).toBe(1);
    expect(recorded).toEqual([]);
  });

  // A row outlives the process and its settings, and the process that continues from it may record.
  it('passes on the trace of a caller, but not its sampled flag', () => {
    const step = start({ isOfCaller: true, parent: sampled });
    expect(step.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$`));
  });
});
