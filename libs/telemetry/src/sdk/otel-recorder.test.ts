import { SpanKind } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger';
import type { EndedStep } from '../tracing/recorder';
import { newId } from '../tracing/step';
import { createOtelRecorder, queueMax } from './otel-recorder';

type Callback = Parameters<SpanExporter['export']>[1];
type Result = Parameters<Callback>[0];
type Line = [level: string, event: string, fields: object];

function logged() {
  const lines: Line[] = [];
  const write = (level: string) => (fields: object, event: string) => void lines.push([level, event, fields]);
  const logger: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    writes: () => true,
    child: () => logger,
  };
  return { logger, lines };
}

const one = (ratio: number) => ({ ratio, isCallersChoice: false });
const step = (more: Partial<EndedStep> = {}): EndedStep => ({
  service: 'executor',
  name: 'call.claim',
  kind: 'message',
  traceId: newId(16),
  spanId: newId(8),
  startedAtMs: 1_700_000_000_000,
  endedAtMs: 1_700_000_000_250,
  facts: { operationId: 'o1' },
  links: [],
  ...more,
});

/** Keeps its spans after the shutdown, which empties the SDK's own exporter. */
class KeepingExporter extends InMemorySpanExporter {
  readonly kept: ReadableSpan[] = [];

  override export(spans: ReadableSpan[], callback: Callback): void {
    this.kept.push(...spans);
    super.export(spans, callback);
  }
}

describe('a recorded step', () => {
  it('is a span with its own ids, under the resource of its service', async () => {
    const exporter = new KeepingExporter();
    const recorder = createOtelRecorder({ exporter, successes: one(1), logger: logged().logger });
    const context = { traceId: newId(16), spanId: newId(8), isSampled: false };
    const call = step({ parentSpanId: newId(8), links: [{ context, facts: { index: 3 } }], failed: 'quota' });
    const request = step({ service: 'write-gateway', kind: 'request' });
    recorder.record([call, request]);
    await recorder.close(5_000);
    const [first, second] = exporter.kept;
    expect(first?.spanContext()).toMatchObject({ traceId: call.traceId, spanId: call.spanId });
    expect(first?.parentSpanContext?.spanId).toBe(call.parentSpanId);
    expect([first?.kind, first?.status.code, first?.attributes['error.type']]).toEqual([SpanKind.CONSUMER, 2, 'quota']);
    expect(first?.links).toMatchObject([
      { context: { spanId: context.spanId }, attributes: { 'sluice.record.index': 3 } },
    ]);
    expect(first?.duration).toEqual([0, 250_000_000]);
    expect(second?.parentSpanContext).toBeUndefined();
    expect([first, second].map((span) => span?.resource.attributes['service.name'])).toEqual([
      'executor',
      'write-gateway',
    ]);
    expect(second?.resource.attributes['service.namespace']).toBe('sluice');
  });
});

describe('which traces are kept', () => {
  const recorderOf = (ratio: number, isCallersChoice = false) =>
    createOtelRecorder({
      exporter: new InMemorySpanExporter(),
      successes: { ratio, isCallersChoice },
      logger: logged().logger,
    });

  it('is decided by our own id: the same in every process, and about the share', () => {
    const [recorder, another] = [recorderOf(0.01), recorderOf(0.01)];
    const ids = Array.from({ length: 20_000 }, () => newId(16));
    const kept = ids.filter((id) => recorder.keeps(id, undefined));
    // 200 expected; 5 standard deviations of a binomial distribution are 70.
    expect(Math.abs(kept.length - 200)).toBeLessThan(70);
    expect(ids.filter((id) => another.keeps(id, undefined))).toEqual(kept);
  });

  // A client that sends such an id with every request, even without a key, would fill the queue and cause failures to be dropped.
  it.each([`${'0'.repeat(31)}1`, 'ab'.repeat(16)])(
    'is not decided by a caller’s id: %s is kept as often as any other',
    (id) => {
      const recorder = recorderOf(0.01);
      const caller = { traceId: id, spanId: newId(8), isSampled: true };
      const kept = Array.from({ length: 20_000 }, () => recorder.keeps(id, caller)).filter(Boolean);
      expect(Math.abs(kept.length - 200)).toBeLessThan(70);
    },
  );

  it('is the caller’s choice only where the setting says so', () => {
    const caller = (isSampled: boolean) => ({ traceId: newId(16), spanId: newId(8), isSampled });
    expect(recorderOf(0).keeps(newId(16), caller(true))).toBe(false);
    expect([true, false].map((flag) => recorderOf(0, true).keeps(newId(16), caller(flag)))).toEqual([true, false]);
    expect(recorderOf(1, true).keeps(newId(16), undefined)).toBe(true);
  });
});

// The enum's own package is not a dependency.
const succeeded = { code: 0 } as unknown as Result;
const failed = { code: 1, error: new Error('http://u:p@host') } as unknown as Result;

/** A collector that behaves as `answer` says. */
class FailingExporter implements SpanExporter {
  taken = 0;
  batches = 0;
  answer: 'ok' | 'fails' | 'never' = 'fails';
  /** Those that hang; answered when the test is over. */
  readonly hanging: Callback[] = [];

  export(spans: ReadableSpan[], callback: Callback): void {
    this.batches += 1;
    if (this.answer === 'ok') this.taken += spans.length;
    if (this.answer === 'never') this.hanging.push(callback);
    else callback(this.answer === 'ok' ? succeeded : failed);
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

describe('a collector that fails', () => {
  /** Waits until it holds, or long enough for the next assertion to fail with what is missing. */
  const untilHolds = async (holds: () => boolean): Promise<void> => {
    const endsAtMs = performance.now() + 60_000;
    while (!holds() && performance.now() < endsAtMs) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const many = (count: number) => Array.from({ length: count }, () => step());

  it('is logged once, without its address, and once more when it works again', async () => {
    const exporter = new FailingExporter();
    const { logger, lines } = logged();
    const recorder = createOtelRecorder({ exporter, successes: one(1), logger });
    for (let batch = 1; batch <= 3; batch += 1) {
      recorder.record(many(512));
      await untilHolds(() => exporter.batches === batch);
    }
    await untilHolds(() => lines.length > 0);
    expect(lines.map(([level, event]) => [level, event])).toEqual([['warn', 'telemetry.export-failing']]);
    expect(JSON.stringify(lines)).not.toContain('u:p');
    exporter.answer = 'ok';
    recorder.record(many(512));
    await untilHolds(() => lines.length > 1);
    expect(lines.slice(1)).toEqual([['info', 'telemetry.export-restored', { spansLost: 1_536 }]]);
    await recorder.close(1_000);
  });

  it('that never answers costs one queue of memory and does not delay the end of the process', async () => {
    const exporter = new FailingExporter();
    exporter.answer = 'never';
    const { logger } = logged();
    const recorder = createOtelRecorder({ exporter, successes: one(1), logger });
    const before = process.memoryUsage().heapUsed;
    for (let batch = 0; batch < 100; batch += 1) recorder.record(many(512));
    // 51,200 spans of more than 1 KB would be 50 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(queueMax * 16_384);
    const startedAtMs = performance.now();
    await recorder.close(100);
    expect(performance.now() - startedAtMs).toBeLessThan(25_000);
    for (const callback of exporter.hanging) callback(succeeded);
  });
});
