import type { EndedStep, SpanRecorder } from './recorder';

/** Steps of one trace at most: a call makes a handful, and a defect must not fill the memory. */
const stepsMax = 200;

/**
 * The steps of one process in one trace, held from its first step to the end of that one. Invariant: either all of its steps are
 * recorded or none is. They are when the trace is sampled, or when one of them failed.
 */
export class TraceBuffer {
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
    private readonly recorder: SpanRecorder,
  ) {}

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
    const known = operationId === undefined ? {} : { operationId };
    this.recorder.record(steps.map((step) => ({ ...step, facts: { ...known, ...step.facts } })));
  }
}
