import { AsyncLocalStorage } from 'node:async_hooks';
import { childTraceparent, newId, readTraceparent, toTraceparent, type TraceContext } from '../traceparent';
import { spanRecorder, type AcceptedRecord, type EndedStep, type Facts, type StepKind } from './recorder';
import { TraceBuffer } from './trace-buffer';

/**
 * One step of a write, from here to `end`. It becomes a span when its trace is kept: because it is sampled, or because a
 * step of the same process failed. Costs next to nothing until then.
 */
export interface Step {
  /** Its position in the trace, for messages, rows and further steps. */
  readonly traceparent: string;
  /** Adds what became known. The last value of each fact counts. */
  note(facts: Facts): void;
  /** Ends it, once. @param failed class of the failure; keeps the trace, also when it is not sampled */
  end(failed?: string): void;
  /** A step inside this one. */
  child(name: string, facts?: Facts): Step;
  /** A step inside this one that has already ended: a provider call. */
  past(name: string, ended: { readonly durationMs: number; readonly facts: Facts; readonly failed?: string }): void;
  /** Runs work whose log lines and further steps belong to this one. */
  run<T>(work: () => T): T;
  /** `trace_id`, `span_id` and what else its log lines get. */
  logFields(): object;
}

export interface StepOptions {
  /** Service it belongs to: `executor`. */
  readonly service: string;
  /** Noun and verb: `batch.flush`. */
  readonly name: string;
  readonly kind: StepKind;
  /** The step it belongs under. Absent or invalid: a new trace. */
  readonly parent?: string | undefined;
  /** The parent is a caller's, not ours: whether the trace is kept is decided here. @default false */
  readonly isOfCaller?: boolean;
  /** Kept also when all goes well, whatever the parent says. @default as the parent says */
  readonly isSampled?: boolean;
  readonly facts?: Facts;
  /** Called at the end, if it becomes a span: a request learns its route on its way. */
  readonly atEnd?: () => { readonly name: string; readonly facts: Facts };
  /** The accepts it goes back to: a link to each. Called at the end, if it becomes a span. */
  readonly accepted?: () => readonly AcceptedRecord[];
  /** Stands in the log lines of the step. */
  readonly logged?: object;
  /** Of `performance.now()`. @default now */
  readonly startedAtMs?: number;
}

/** Begins the first step of this process in a trace. */
export function startStep(options: StepOptions): Step {
  const recorder = spanRecorder();
  if (recorder === undefined) return new QuietStep(options);
  const parent = readTraceparent(options.parent);
  const traceId = parent?.traceId ?? newId(16);
  const isDecided = parent !== undefined && options.isOfCaller !== true;
  const decision = isDecided ? parent.isSampled : recorder.keeps(traceId, parent);
  const buffer = new TraceBuffer(options.service, traceId, options.isSampled ?? decision, recorder);
  return new TracedStep(buffer, options, parent?.spanId, undefined);
}

class TracedStep implements Step {
  private readonly context: TraceContext;
  private readonly startedAtMs: number;
  private facts: Facts = {};
  private isEnded = false;

  constructor(
    private readonly buffer: TraceBuffer,
    private readonly options: Omit<StepOptions, 'service' | 'parent' | 'isOfCaller'>,
    private readonly parentSpanId: string | undefined,
    private readonly within: TracedStep | undefined,
  ) {
    this.context = newTraceContext(buffer);
    this.startedAtMs = options.startedAtMs ?? performance.now();
    if (options.facts !== undefined) this.note(options.facts);
  }

  get traceparent(): string {
    return toTraceparent(this.context);
  }

  note(facts: Facts): void {
    this.facts = { ...this.facts, ...facts };
    this.buffer.operationId = facts.operationId ?? this.buffer.operationId;
  }

  end(failed?: string): void {
    if (this.isEnded) return;
    this.isEnded = true;
    const { buffer, context, options, startedAtMs, parentSpanId } = this;
    const isFirst = this.within === undefined;
    if (buffer.wants(failed, isFirst)) {
      const { name, facts } = options.atEnd?.() ?? { name: options.name, facts: {} };
      const ended = { name, kind: options.kind, facts: { ...this.facts, ...facts }, links: this.links() };
      const span = { ...context, ...ended, ...(parentSpanId !== undefined && { parentSpanId }) };
      buffer.add(timed(span, startedAtMs, buffer, failed));
    }
    if (isFirst) buffer.end(buffer.isKept ? this.backfilled() : []);
  }

  child(name: string, facts?: Facts): Step {
    return new TracedStep(this.buffer, { name, kind: 'work', ...(facts && { facts }) }, this.context.spanId, this);
  }

  past(name: string, { durationMs, facts, failed }: Parameters<Step['past']>[1]): void {
    const { buffer, context } = this;
    if (!buffer.wants(failed, false)) return;
    const span = {
      ...newTraceContext(buffer),
      parentSpanId: context.spanId,
      name,
      kind: 'call',
      facts,
      links: [],
    } as const;
    buffer.add(timed(span, performance.now() - durationMs, buffer, failed));
  }

  run<T>(work: () => T): T {
    return runIn(this, work);
  }

  logFields(): object {
    const { traceId: trace_id, spanId: span_id } = this.context;
    const { operationId } = this.facts;
    const own = { trace_id, span_id, ...(operationId === undefined ? {} : { operationId }), ...this.options.logged };
    return this.within === undefined ? own : { ...this.within.logFields(), ...own };
  }

  /** To every accept but the one it stands under. */
  private links(): EndedStep['links'] {
    return (this.options.accepted?.() ?? []).flatMap(({ traceparent, index }) => {
      const context = readTraceparent(traceparent);
      if (context === undefined || context.spanId === this.parentSpanId) return [];
      return [{ context, facts: index === undefined ? {} : { index } }];
    });
  }

  /** Accepts that were dropped, because all was well then. They get their own ids, so that links and logs that name them find them. */
  private backfilled(): EndedStep[] {
    const { service } = this.buffer;
    const visited = new Set<string>();
    return this.acceptsToBackfill().flatMap(({ traceparent, acceptedAt, index }) => {
      const context = readTraceparent(traceparent);
      const at = acceptedAt.getTime();
      if (context === undefined || context.isSampled || visited.has(context.spanId) || Number.isNaN(at)) return [];
      visited.add(context.spanId);
      const { traceId, spanId } = context;
      const facts = { isBackfilled: true, ...(index !== undefined && { index }) };
      const step = { traceId, spanId, startedAtMs: at, endedAtMs: at, service, name: 'write.accept', links: [] };
      return [{ ...step, kind: 'work' as const, facts }];
    });
  }

  /** Of a failure, the accepts it concerns; of a step that is kept for another trace's sake, the accept it stands under. */
  private acceptsToBackfill(): readonly AcceptedRecord[] {
    const accepted = this.options.accepted?.() ?? [];
    if (!this.buffer.isSampled) return accepted.filter(({ isConcerned }) => isConcerned);
    if (this.options.isSampled !== true) return [];
    return accepted.filter(({ traceparent }) => readTraceparent(traceparent)?.spanId === this.parentSpanId);
  }
}

function newTraceContext({ traceId, isSampled }: TraceBuffer): TraceContext {
  return { traceId, isSampled, spanId: newId(8) };
}

/** The monotonic clock measures the duration, the wall clock dates it: both are read together, so that no step has a negative length. */
function timed(
  step: Omit<EndedStep, 'service' | 'startedAtMs' | 'endedAtMs'>,
  startedAtMs: number,
  { service }: TraceBuffer,
  failed: string | undefined,
): EndedStep {
  const endedAtMs = Date.now();
  const times = { startedAtMs: endedAtMs - (performance.now() - startedAtMs), endedAtMs };
  return { ...step, ...times, service, ...(failed === undefined ? {} : { failed }) };
}

/** Nothing is recorded: it only passes on its position in the trace, and gives log lines their ids. */
class QuietStep implements Step {
  private own: string | undefined;
  private operationId: string | undefined;

  constructor(private readonly options: Pick<StepOptions, 'parent' | 'isOfCaller' | 'logged' | 'facts'>) {
    this.operationId = options.facts?.operationId;
  }

  get traceparent(): string {
    const { parent, isOfCaller } = this.options;
    // Rows and messages carry the flag to services that record: a caller's would be followed there, and for as long as the rows last.
    return (this.own ??= isOfCaller === true ? childTraceparent(parent, false) : childTraceparent(parent));
  }

  note({ operationId }: Facts): void {
    if (operationId !== undefined) this.operationId = operationId;
  }

  end(): void {}

  child(): Step {
    return this;
  }

  past(): void {}

  run<T>(work: () => T): T {
    return runIn(this, work);
  }

  logFields(): object {
    const [, trace_id, span_id] = this.traceparent.split('-');
    const { operationId } = this;
    return { trace_id, span_id, ...(operationId === undefined ? {} : { operationId }), ...this.options.logged };
  }
}

const scope = new AsyncLocalStorage<Step | undefined>();

/** The step that the running code belongs to. */
export function currentStep(): Step | undefined {
  return scope.getStore();
}

function runIn<T>(step: Step, work: () => T): T {
  return scope.run(step, work);
}

/** For what a step sets off but does not wait for: timers, queues and loops that serve others as well. */
export function outsideSteps<T>(work: () => T): T {
  return scope.run(undefined, work);
}

/** What a log line gets from the step it is written in. */
export function scopeFields(): object {
  return scope.getStore()?.logFields() ?? {};
}

/**
 * Does work as a step inside the current one; where there is none, it only does the work.
 * @param failureOf reads the class of a failure from the result of the work; an error it throws is a failure as well
 */
export async function asStep<T>(
  name: string,
  facts: Facts,
  work: () => Promise<T>,
  failureOf: (result: T) => string | undefined = () => undefined,
): Promise<T> {
  const step = currentStep()?.child(name, facts);
  if (step === undefined) return await work();
  try {
    const result = await step.run(work);
    step.end(failureOf(result));
    return result;
  } catch (error) {
    step.end(classOf(error));
    throw error;
  }
}

/** The code of an error, else its class; never its text. */
export function classOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
