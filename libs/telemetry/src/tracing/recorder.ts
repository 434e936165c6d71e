/** A place in a trace: what a `traceparent` names. Ids are lower-case hex, 32 and 16 characters. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether who wrote it keeps the trace also when all goes well. */
  readonly isSampled: boolean;
}

/**
 * What a span may contain. A closed set of ids, counts and words of our own. No field value, no name of a customer, no token and no address can get
 * into a span, because it has no field for them.
 */
export interface Facts {
  readonly projectId?: string;
  /** What a builder was given, and what a trace is found by. */
  readonly operationId?: string;
  /** Number of the call in its operation, from 1. */
  readonly call?: number;
  /** Index of the record in its operation, from 0. */
  readonly index?: number;
  /** Records it is about. */
  readonly records?: number;
  readonly recordsSucceeded?: number;
  readonly recordsFailed?: number;
  /** Records whose outcome nobody knows. */
  readonly recordsUnknown?: number;
  /** Calls that a batch became. */
  readonly calls?: number;
  readonly provider?: string;
  /** What was requested of the provider: `batch-create`, `search`. */
  readonly providerOperation?: string;
  /** The object as the manifest declares it: `contacts`. */
  readonly objectName?: string;
  readonly type?: string;
  readonly mode?: string;
  /** Sends of this call so far, this one included. */
  readonly attempt?: number;
  /** What woke the work: message, timer, sweep, lapse. */
  readonly source?: string;
  /** What comes next: a state of a call, or of an operation. */
  readonly outcome?: string;
  readonly method?: string;
  /** The template, never the address: `/v1/projects/:projectIdOrName`. */
  readonly route?: string;
  /** Of an HTTP reply. */
  readonly status?: number;
  /** Backfilled by another process from what is stored, because the one that did it kept nothing. */
  readonly isBackfilled?: boolean;
}

/** `request`: of a caller. `message`: begun by a message, a timer or a sweep. `call`: to a provider. */
export type StepKind = 'request' | 'message' | 'work' | 'call';

/** Where a record was accepted: stored with it, so that its accept can be backfilled. */
export interface AcceptedRecord {
  /** Position of the accept in its trace. */
  readonly traceparent: string;
  readonly acceptedAt: Date;
  /** Index of the record in its operation, from 0. Absent: the operation as a whole. */
  readonly index?: number;
  /** A failure is this record's: its accept is backfilled, if it was not kept. @default false */
  readonly isConcerned?: boolean;
}

/** A step that is over and is to become a span. Moments are milliseconds since 1970. */
export interface EndedStep extends Omit<TraceContext, 'isSampled'> {
  readonly service: string;
  readonly name: string;
  readonly kind: StepKind;
  readonly parentSpanId?: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly facts: Facts;
  readonly links: readonly { readonly context: TraceContext; readonly facts: Facts }[];
  /** Class of the failure. */
  readonly failed?: string;
}

/** Where spans go. Made by `register` when there is an endpoint; else there is none, and nothing is kept. */
export interface SpanRecorder {
  /** Whether the trace is kept although all goes well; `caller` is what a request came with. */
  keeps(traceId: string, caller: TraceContext | undefined): boolean;
  /** Never throws and never waits. Beyond its queue spans are dropped. */
  record(steps: readonly EndedStep[]): void;
  /** Sends what is queued, as far as `withinMs` allows; takes nothing afterwards. Never rejects. */
  close(withinMs: number): Promise<void>;
}

/** Attribute names: the general ones of OpenTelemetry's semantic conventions where there is one, else `sluice.*`. */
const names: Readonly<Record<keyof Facts, string>> = {
  projectId: 'sluice.project.id',
  operationId: 'sluice.operation.id',
  call: 'sluice.call.number',
  index: 'sluice.record.index',
  records: 'sluice.records',
  recordsSucceeded: 'sluice.records.succeeded',
  recordsFailed: 'sluice.records.failed',
  recordsUnknown: 'sluice.records.unknown',
  calls: 'sluice.calls',
  provider: 'sluice.provider',
  providerOperation: 'sluice.provider.operation',
  objectName: 'sluice.object',
  type: 'sluice.write.type',
  mode: 'sluice.write.mode',
  attempt: 'sluice.attempt',
  source: 'sluice.source',
  outcome: 'sluice.outcome',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  isBackfilled: 'sluice.retold',
};

/** Facts as span attributes. What is undefined is left out, and so is whatever has no name here. */
export function toAttributes(facts: Facts): Record<string, string | number | boolean> {
  const attributes: Record<string, string | number | boolean> = {};
  for (const key of Object.keys(facts) as (keyof Facts)[]) {
    const value = facts[key];
    if (value !== undefined && names[key] !== undefined) attributes[names[key]] = value;
  }
  return attributes;
}
