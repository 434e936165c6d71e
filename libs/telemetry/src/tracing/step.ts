import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { AcceptedRecord, EndedStep, Facts, SpanRecorder, StepKind, TraceContext } from './recorder';

let current: SpanRecorder | undefined;

/** Set once, before a service starts. */
export function useSpanRecorder(recorder: SpanRecorder | undefined): void {
  current = recorder;
}

/** Longest wait for the collector when a process ends. Kubernetes gives 30 s for everything. */
const closeMs = 2_000;

/** Sends the spans that are left; for the end of a process. Never rejects, and takes two seconds at most. */
export async function flushTraces(): Promise<void> {
  await current?.close(closeMs);
}

const scope = new AsyncLocalStorage<Step | undefined>();

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
  const parent = readTraceparent(options.parent);
  const traceId = parent?.traceId ?? newId(16);
  const isDecided = parent !== undefined && options.isOfCaller !== true;
  // Rows and messages carry the flag to services that record: without a recorder, a caller's would be followed there for as long as the rows last.
  const decision = isDecided ? parent.isSampled : (current?.keeps(traceId, parent) ?? false);
  const isSampled = current === undefined ? decision : (options.isSampled ?? decision);
  return new Step(new TraceBuffer(options.service, traceId, isSampled, current), options, parent?.spanId);
}

/**
 * One step of a write, from here to `end`. It becomes a span when its trace is kept: because it is sampled, or because a
 * step of the same process failed. Costs next to nothing until then. Without a recorder it only passes on its position in the
 * trace, and gives log lines their ids.
 */
export class Step {
  private readonly context: TraceContext;
  private readonly startedAtMs: number;
  private facts: Facts = {};
  private isEnded = false;

  /** Use `startStep` and `child`. */
  constructor(
    private readonly buffer: TraceBuffer,
    private readonly options: Omit<StepOptions, 'service' | 'parent' | 'isOfCaller'>,
    private readonly parentSpanId: string | undefined,
    private readonly within?: Step,
  ) {
    this.context = newTraceContext(buffer);
    this.startedAtMs = options.startedAtMs ?? performance.now();
    if (options.facts !== undefined) this.note(options.facts);
  }

  /** Its position in the trace, for messages, rows and further steps. */
  get traceparent(): string {
    return toTraceparent(this.context);
  }

  /** Adds what became known. The last value of each fact counts. */
  note(facts: Facts): void {
    this.facts = { ...this.facts, ...facts };
    this.buffer.operationId = facts.operationId ?? this.buffer.operationId;
  }

  /** Ends it, once. @param failed class of the failure; keeps the trace, also when it is not sampled */
  end(failed?: string): void {
    if (this.isEnded || !this.buffer.isRecorded) return;
    this.isEnded = true;
    const { buffer, context, options, startedAtMs, parentSpanId } = this;
    const isFirst = this.within === undefined;
    if (buffer.wants(failed, isFirst)) {
      const { name, facts } = options.atEnd?.() ?? { name: options.name, facts: {} };
      const ended = { name, kind: options.kind, facts: { ...this.facts, ...facts }, links: this.links() };
      buffer.add(timed({ ...context, ...ended, parentSpanId }, startedAtMs, buffer, failed));
    }
    if (isFirst) buffer.end(buffer.isKept ? this.backfilled() : []);
  }

  /** A step inside this one. */
  child(name: string, facts?: Facts): Step {
    if (!this.buffer.isRecorded) return this;
    return new Step(this.buffer, { name, kind: 'work', facts }, this.context.spanId, this);
  }

  /** A step inside this one that has already ended: a provider call. */
  past(name: string, ended: { readonly durationMs: number; readonly facts: Facts; readonly failed?: string }): void {
    const { buffer, context } = this;
    const { durationMs, facts, failed } = ended;
    if (!buffer.isRecorded || !buffer.wants(failed, false)) return;
    const ids = { ...newTraceContext(buffer), parentSpanId: context.spanId };
    const span = { ...ids, name, kind: 'call' as const, facts, links: [] };
    buffer.add(timed(span, performance.now() - durationMs, buffer, failed));
  }

  /** Runs work whose log lines and further steps belong to this one. */
  run<T>(work: () => T): T {
    return scope.run(this, work);
  }

  /** `trace_id`, `span_id` and what else its log lines get. */
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
      return [{ context, facts: { index } }];
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
      const facts = { isBackfilled: true, index };
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
  return { ...step, ...times, service, failed };
}

/** Steps of one trace at most: a call makes a handful, and a defect must not fill the memory. */
const stepsMax = 200;

/**
 * The steps of one process in one trace, held from its first step to the end of that one. Invariant: either all of its steps are
 * recorded or none is. They are when the trace is sampled, or when one of them failed.
 */
class TraceBuffer {
  private steps: EndedStep[] = [];
  private hasFailed = false;
  private decision: 'kept' | 'dropped' | undefined;
  /** Stands in each of its spans, also in those that began before it was known. */
  operationId: string | undefined;

  /** @param isSampled whether the trace is kept also when all goes well */
  constructor(
    readonly service: string,
    readonly traceId: string,
    readonly isSampled: boolean,
    private readonly recorder: SpanRecorder | undefined,
  ) {}

  get isRecorded(): boolean {
    return this.recorder !== undefined;
  }

  /** Whether its steps become spans, as far as is known. */
  get isKept(): boolean {
    return this.isSampled || this.hasFailed;
  }

  /** Whether a step is worth its object. Most requests have one step, go well and are not sampled: they cost none. */
  wants(failed: string | undefined, isFirst: boolean): boolean {
    return failed !== undefined || this.isKept || (this.decision === undefined && !isFirst);
  }

  add(step: EndedStep): void {
    if (step.failed !== undefined) this.hasFailed = true;
    if (this.decision !== undefined) {
      // Work that outlives its request: a settlement after the reply.
      if (this.decision === 'kept' || step.failed !== undefined) this.record([step]);
    } else if (this.steps.length < stepsMax) this.steps.push(step);
  }

  /**
   * The first step is over, and only now it is known whether the trace is worth keeping.
   * @param before steps that belong before its own, recorded if it is kept
   */
  end(before: readonly EndedStep[]): void {
    this.decision = this.isKept ? 'kept' : 'dropped';
    const { steps } = this;
    this.steps = [];
    if (this.isKept) this.record([...before, ...steps]);
  }

  private record(steps: readonly EndedStep[]): void {
    const { operationId } = this;
    this.recorder?.record(steps.map((step) => ({ ...step, facts: { operationId, ...step.facts } })));
  }
}

/** The step that the running code belongs to. */
export function currentStep(): Step | undefined {
  return scope.getStore();
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

/** Version, trace id, parent id, flags; a later version may add more. Source: W3C Trace Context, section 3.2. */
const form =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/;
const zeros = /^0+$/;

/** What a `traceparent` says; undefined when it is absent or invalid. */
export function readTraceparent(value: string | undefined): TraceContext | undefined {
  const fields = value === undefined ? undefined : form.exec(value.trim())?.groups;
  if (!fields || !isValid(fields)) return undefined;
  const { traceId = '', spanId = '', flags = '' } = fields;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The `traceparent` of a place. */
export function toTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/**
 * A `traceparent` for work done inside `parent`: same trace, a span id of its own.
 * An absent or invalid parent starts a new trace, which nobody records so far, as the W3C recommendation asks.
 */
export function childTraceparent(parent: string | undefined): string {
  const context = readTraceparent(parent) ?? { traceId: newId(16), isSampled: false };
  return toTraceparent({ ...context, spanId: newId(8) });
}

function isValid(fields: Record<string, string>): boolean {
  const { version = '', traceId = '', spanId = '', more } = fields;
  return version !== 'ff' && !(version === '00' && more !== undefined) && !zeros.test(traceId) && !zeros.test(spanId);
}

/** Drawn ahead: asking the system for 8 bytes costs as much as asking for 4 KB. */
let drawn = Buffer.alloc(0);
let used = 0;

/** A random id in hex: 16 bytes for a trace, 8 for a span. Never all zeros. */
export function newId(bytes: 8 | 16): string {
  if (used + bytes > drawn.length) {
    drawn = randomBytes(4_096);
    used = 0;
  }
  const hex = drawn.toString('hex', used, (used += bytes));
  return zeros.test(hex) ? newId(bytes) : hex;
}
