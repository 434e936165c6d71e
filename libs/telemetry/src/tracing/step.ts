import { AsyncLocalStorage } from 'node:async_hooks';
import { childTraceparent, newId, readTraceparent, toTraceparent, type TracePlace } from '../traceparent';
import type { Facts } from './facts';
import { spanRecorder, type AcceptedRecord, type EndedStep, type StepKind } from './recorder';
import { placeIn, Story } from './story';

/**
 * One step of a write, from here to `end`. It becomes a span when its trace is kept: because it is sampled, or because a
 * step of the same process failed. Costs next to nothing until then.
 */
export interface Step {
  /** Its place, for messages, rows and further steps. */
  readonly traceparent: string;
  /** Adds what became known. The last word on each fact counts. */
  note(facts: Facts): void;
  /** Ends it, once. @param failed class of the failure; keeps the trace, also when it is not sampled */
  end(failed?: string): void;
  /** A step inside this one. */
  child(name: string, facts?: Facts): Step;
  /** A step inside this one that is over: a provider call. */
  past(name: string, ended: { readonly durationMs: number; readonly facts: Facts; readonly failed?: string }): void;
  /** Runs work whose log lines and further steps belong to this one. */
  run<T>(work: () => T): T;
  /** `trace_id`, `span_id` and what else its log lines get. */
  logFields(): object;
}

export interface StepOptions {
  /** Service it belongs to: `executor`. */
  readonly service: string;
  /** A verb of the conventions: `batch.flush`. */
  readonly name: string;
  readonly kind: StepKind;
  /** Place it belongs under. Absent or invalid: a new trace. */
  readonly parent?: string | undefined;
  /** The parent is a caller's, not ours: whether the trace is kept is decided here. @default false */
  readonly isOfCaller?: boolean;
  /** Kept also when all goes well, whatever the parent says. @default as the parent says */
  readonly isSampled?: boolean;
  readonly facts?: Facts;
  /** Asked at the end, if it becomes a span: a request learns its route on its way. */
  readonly atEnd?: () => { readonly name: string; readonly facts: Facts };
  /** The accepts it goes back to: a link to each. Asked at the end, if it becomes a span. */
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
  const { service } = options;
  const isSampled = options.isSampled ?? decision;
  const retold = () => concerned(options, isSampled, parent);
  const story = new Story({ service, traceId, isSampled, recorder, retold });
  return new TracedStep(story, options, parent?.spanId, undefined);
}

/** A failure is told to the accepts it concerns; a step that is kept for another trace's sake, to the accept it stands under. */
function concerned(options: StepOptions, isSampled: boolean, parent: TracePlace | undefined) {
  const accepted = options.accepted?.() ?? [];
  if (!isSampled) return accepted.filter(({ isConcerned }) => isConcerned);
  if (options.isSampled !== true) return [];
  return accepted.filter(({ traceparent }) => readTraceparent(traceparent)?.spanId === parent?.spanId);
}

class TracedStep implements Step {
  private readonly place: TracePlace;
  private readonly startedAtMs: number;
  private facts: Facts;
  private isEnded = false;

  constructor(
    private readonly story: Story,
    private readonly options: Omit<StepOptions, 'service' | 'parent' | 'isOfCaller' | 'isSampled'>,
    private readonly parentSpanId: string | undefined,
    private readonly within: TracedStep | undefined,
  ) {
    this.place = placeIn(story.options);
    this.startedAtMs = options.startedAtMs ?? performance.now();
    this.facts = {};
    if (options.facts !== undefined) this.note(options.facts);
  }

  get traceparent(): string {
    return toTraceparent(this.place);
  }

  note(facts: Facts): void {
    this.facts = { ...this.facts, ...facts };
    this.story.operationId = facts.operationId ?? this.story.operationId;
  }

  end(failed?: string): void {
    if (this.isEnded) return;
    this.isEnded = true;
    const { story, place, options, startedAtMs, parentSpanId } = this;
    const isFirst = this.within === undefined;
    if (story.wants(failed, isFirst)) {
      const { name, facts } = options.atEnd?.() ?? { name: options.name, facts: {} };
      const told = { name, kind: options.kind, facts: { ...this.facts, ...facts }, links: this.links() };
      const span = { ...place, ...told, ...(parentSpanId !== undefined && { parentSpanId }) };
      story.add(timed(span, startedAtMs, story, failed));
    }
    if (isFirst) story.end();
  }

  child(name: string, facts?: Facts): Step {
    return new TracedStep(this.story, { name, kind: 'work', ...(facts && { facts }) }, this.place.spanId, this);
  }

  past(name: string, { durationMs, facts, failed }: Parameters<Step['past']>[1]): void {
    const { story, place } = this;
    if (!story.wants(failed, false)) return;
    const span = {
      ...placeIn(story.options),
      parentSpanId: place.spanId,
      name,
      kind: 'call',
      facts,
      links: [],
    } as const;
    story.add(timed(span, performance.now() - durationMs, story, failed));
  }

  run<T>(work: () => T): T {
    return runIn(this, work);
  }

  logFields(): object {
    const { traceId: trace_id, spanId: span_id } = this.place;
    const { operationId } = this.facts;
    const own = { trace_id, span_id, ...(operationId === undefined ? {} : { operationId }), ...this.options.logged };
    return this.within === undefined ? own : { ...this.within.logFields(), ...own };
  }

  /** To every accept but the one it stands under. */
  private links(): EndedStep['links'] {
    return (this.options.accepted?.() ?? []).flatMap(({ traceparent, index }) => {
      const place = readTraceparent(traceparent);
      if (place === undefined || place.spanId === this.parentSpanId) return [];
      return [{ place, facts: index === undefined ? {} : { index } }];
    });
  }
}

/** The monotonic clock measures, the wall clock says when: asked together, so that no step has a negative length. */
function timed(
  step: Omit<EndedStep, 'service' | 'startedAtMs' | 'endedAtMs'>,
  startedAtMs: number,
  { options: { service } }: Story,
  failed: string | undefined,
): EndedStep {
  const endedAtMs = Date.now();
  const times = { startedAtMs: endedAtMs - (performance.now() - startedAtMs), endedAtMs };
  return { ...step, ...times, service, ...(failed === undefined ? {} : { failed }) };
}

/** Nothing is recorded: it only hands the place on, and gives log lines their ids. */
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
 * @param failureOf reads the class of a failure from what the work gave; what the work throws is one as well
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
