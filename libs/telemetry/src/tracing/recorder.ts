import type { TracePlace } from '../traceparent';
import type { Facts } from './facts';

/** `request`: answered for somebody. `message`: begun by a message, a timer or a sweep. `call`: asked of a provider. */
export type StepKind = 'request' | 'message' | 'work' | 'call';

/** Where a record was accepted: stored with it, and told from there. */
export interface AcceptedRecord {
  /** Place of the accept. */
  readonly traceparent: string;
  readonly acceptedAt: Date;
  /** Place of the record in its operation, from 0. Absent: the operation as a whole. */
  readonly index?: number;
  /** A failure is this record's: its accept is told again, if it was not kept. @default false */
  readonly isConcerned?: boolean;
}

/** A step that is over and is to become a span. Moments are milliseconds since 1970. */
export interface EndedStep extends Omit<TracePlace, 'isSampled'> {
  readonly service: string;
  readonly name: string;
  readonly kind: StepKind;
  readonly parentSpanId?: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly facts: Facts;
  readonly links: readonly { readonly place: TracePlace; readonly facts: Facts }[];
  /** Class of the failure. */
  readonly failed?: string;
}

/** Where spans go. Made by `register` when there is an endpoint; else there is none, and nothing is kept. */
export interface SpanRecorder {
  /** Whether the trace is kept although all goes well; `caller` is what a request came with. */
  keeps(traceId: string, caller: TracePlace | undefined): boolean;
  /** Never throws and never waits. Beyond its queue spans are dropped. */
  record(steps: readonly EndedStep[]): void;
  /** Sends what is queued, as far as `withinMs` allows; takes nothing afterwards. Never rejects. */
  close(withinMs: number): Promise<void>;
}

let current: SpanRecorder | undefined;

/** The recorder of this process. */
export function spanRecorder(): SpanRecorder | undefined {
  return current;
}

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
