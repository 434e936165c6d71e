import { newId, readTraceparent } from '../traceparent';
import type { AcceptedRecord, EndedStep, SpanRecorder } from './recorder';

/** Steps of one story at most: a call makes a handful, and a defect must not fill the memory. */
const stepsMax = 200;

export interface StoryOptions {
  readonly service: string;
  readonly traceId: string;
  /** Kept also when all goes well. */
  readonly isSampled: boolean;
  readonly recorder: SpanRecorder;
  /** Accepts that may have been dropped where they happened; asked when the story is kept. */
  readonly retold?: () => readonly AcceptedRecord[];
}

/**
 * What one process did in one trace, from its first step to the end of that one. Invariant: either all of its steps are
 * recorded or none is. They are when the trace is sampled, or when one of them failed.
 */
export class Story {
  private steps: EndedStep[] = [];
  private hasFailed = false;
  private verdict: 'kept' | 'dropped' | undefined;
  /** Stands in each of its spans, also in those that began before it was known. */
  operationId: string | undefined;

  constructor(readonly options: StoryOptions) {}

  /** Whether a step is worth its object. Most requests have one step, go well and are not sampled: they cost none. */
  wants(failed: string | undefined, isFirst: boolean): boolean {
    if (failed !== undefined || this.options.isSampled || this.hasFailed) return true;
    return this.verdict === undefined && !isFirst;
  }

  add(step: EndedStep): void {
    if (step.failed !== undefined) this.hasFailed = true;
    if (this.verdict !== undefined) {
      // Work that outlives its request: a settlement after the reply.
      if (this.verdict === 'kept' || step.failed !== undefined) this.record([step]);
    } else if (this.steps.length < stepsMax) this.steps.push(step);
  }

  /** The first step is over: nothing was lost by waiting until here, because only now it is known what is worth keeping. */
  end(): void {
    this.verdict = this.options.isSampled || this.hasFailed ? 'kept' : 'dropped';
    const { steps } = this;
    this.steps = [];
    if (this.verdict === 'kept') this.record([...this.retold(), ...steps]);
  }

  private record(steps: readonly EndedStep[]): void {
    const { operationId } = this;
    const known = operationId === undefined ? {} : { operationId };
    this.options.recorder.record(steps.map((step) => ({ ...step, facts: { ...known, ...step.facts } })));
  }

  /** Accepts that were dropped, because all was well then. Same ids as theirs, so that what names them finds them. */
  private retold(): EndedStep[] {
    const { retold, service } = this.options;
    const seen = new Set<string>();
    return (retold?.() ?? []).flatMap(({ traceparent, acceptedAt, index }) => {
      const place = readTraceparent(traceparent);
      const at = acceptedAt.getTime();
      if (place === undefined || place.isSampled || seen.has(place.spanId) || Number.isNaN(at)) return [];
      seen.add(place.spanId);
      const { traceId, spanId } = place;
      const facts = { isRetold: true, ...(index !== undefined && { index }) };
      const step = { traceId, spanId, startedAtMs: at, endedAtMs: at, service, name: 'write.accept', links: [] };
      return [{ ...step, kind: 'work' as const, facts }];
    });
  }
}

/** A place inside a story. */
export function placeIn({ traceId, isSampled }: StoryOptions) {
  return { traceId, isSampled, spanId: newId(8) };
}
