import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace, type SpanContext } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger';
import { toAttributes, type EndedStep, type SpanRecorder, type StepKind, type TraceContext } from '../tracing/recorder';
import { newId, outsideSteps } from '../tracing/step';
import type { SuccessRule } from './settings';

/** Spans that wait for the collector at most: about 4 MB. Source: OTEL_BSP_MAX_QUEUE_SIZE's default. */
export const queueMax = 2_048;
/** How long a span waits for others. The SDK's 5 s would make the last seconds before a crash disappear. */
const delayMs = 1_000;
/** Longest try of one batch, the exporter's own repetitions among it. Source: OTEL_BSP_EXPORT_TIMEOUT's default. */
const exportMs = 30_000;

export interface OtelRecorderOptions {
  readonly exporter: SpanExporter;
  readonly successes: SuccessRule;
  readonly logger: Logger;
}

/** Turns ended steps into spans of the OpenTelemetry SDK, in batches, each under the resource of its own service. */
export function createOtelRecorder({ exporter, successes, logger }: OtelRecorderOptions): SpanRecorder {
  const ids = new ChosenIds();
  const watch = watchExporter(exporter, logger);
  const batches = new BatchSpanProcessor({
    exporter: watch,
    maxQueueSize: queueMax,
    scheduledDelayMillis: delayMs,
    exportTimeoutMillis: exportMs,
  });
  const tracers = new Map<string, ReturnType<typeof tracerOf>>();
  const tracerFor = (service: string) => {
    const tracer = tracers.get(service) ?? tracerOf(service, ids, batches);
    tracers.set(service, tracer);
    return tracer;
  };
  const byTraceId = new TraceIdRatioBasedSampler(successes.ratio);
  const write = (step: EndedStep): void => {
    if (!watch.hasCapacity()) return;
    ids.choose(step.traceId, step.spanId);
    const { name, startedAtMs: startTime } = step;
    const links = step.links.map(({ context, facts }) => ({
      context: toSpanContext(context),
      attributes: toAttributes(facts),
    }));
    const attributes = {
      ...toAttributes(step.facts),
      ...(step.failed === undefined ? {} : { 'error.type': step.failed }),
    };
    const span = tracerFor(step.service).startSpan(
      name,
      { kind: kinds[step.kind], attributes, links, startTime },
      parentOf(step),
    );
    if (step.failed !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(step.endedAtMs);
  };
  return {
    keeps: (traceId, caller) => {
      if (caller !== undefined && successes.isCallersChoice) return caller.isSampled;
      // A caller chooses its id, and could choose one that is kept: for a caller an id of our own is drawn.
      const drawn = caller === undefined ? traceId : newId(16);
      return byTraceId.shouldSample(ROOT_CONTEXT, drawn).decision === SamplingDecision.RECORD_AND_SAMPLED;
    },
    // The batch's timer serves everybody: it must not carry the ids of whoever started it.
    record: (steps) => outsideSteps(() => steps.forEach(write)),
    close: async (withinMs) => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
      // A collector that is away has been reported already.
      await Promise.race([batches.shutdown().catch(() => undefined), late]);
    },
  };
}

/**
 * Gives the next span the ids of its step: messages, rows and log lines have contained them since before it was known that the
 * step would become a span.
 */
class ChosenIds implements IdGenerator {
  private next = { traceId: '', spanId: '' };

  choose(traceId: string, spanId: string): void {
    this.next = { traceId, spanId };
  }

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}

const kinds: Readonly<Record<StepKind, SpanKind>> = {
  request: SpanKind.SERVER,
  message: SpanKind.CONSUMER,
  work: SpanKind.INTERNAL,
  call: SpanKind.CLIENT,
};

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win: then the scope's name tells the services of one process apart. */
function tracerOf(service: string, idGenerator: ChosenIds, batches: BatchSpanProcessor) {
  const own = resourceFromAttributes({ 'service.name': service, 'service.namespace': 'sluice' });
  const resource = own.merge(detectResources({ detectors: [envDetector] }));
  const sampler = new AlwaysOnSampler();
  return new TracerProvider({ resource, sampler, idGenerator, spanProcessors: [batches] }).getTracer(service);
}

function parentOf({ traceId, parentSpanId }: EndedStep) {
  if (parentSpanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, toSpanContext({ traceId, spanId: parentSpanId, isSampled: true }));
}

function toSpanContext({ traceId, spanId, isSampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

type Callback = Parameters<SpanExporter['export']>[1];
type Result = Parameters<Callback>[0];
/** Of the SDK's `ExportResultCode`. */
const success = 0;

/** Counts the spans in the batch processor's queue; those beyond its limit are dropped here, and counted. */
interface ExportWatch extends SpanExporter {
  /** Whether the queue takes a span; if not, it is counted as dropped. */
  hasCapacity(): boolean;
}

/** An exporter that logs when its collector stops taking spans and when it takes them again: one line per change, none per batch. */
function watchExporter(exporter: SpanExporter, logger: Logger): ExportWatch {
  let isFailing = false;
  let queued = 0;
  let lost = 0;
  const note = (spans: number, { code, error }: Result): void => {
    // oxlint-disable-next-line no-unsafe-enum-comparison -- the enum's package is needed for nothing else
    if (code === success) {
      if (isFailing) logger.info({ spansLost: lost }, 'telemetry.export-restored');
      [isFailing, lost] = [false, 0];
      return;
    }
    lost += spans;
    if (!isFailing) logger.warn({ reason: reasonOf(error), remedy }, 'telemetry.export-failing');
    isFailing = true;
  };
  return {
    hasCapacity: () => {
      const isFree = queued < queueMax;
      if (isFree) queued += 1;
      else lost += 1;
      return isFree;
    },
    export: (spans: ReadableSpan[], callback: Callback) => {
      queued -= spans.length;
      exporter.export(spans, (result) => {
        note(spans.length, result);
        callback(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}

const remedy =
  'Look at the collector at OTEL_EXPORTER_OTLP_ENDPOINT. Writes go on; spans beyond the queue are dropped.';

/** A code or a class, not the text: that may hold the endpoint with its userinfo. */
function reasonOf(error: Error | undefined): string {
  if (error === undefined) return 'unknown';
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : error.name;
}
