/**
 * What a span may say. A closed set of ids, counts and words of ours: no field value, no name of a customer, no token, no
 * address can get into a span, because there is no place for it.
 */
export interface Facts {
  readonly projectId?: string;
  /** What a builder was given, and what a trace is found by. */
  readonly operationId?: string;
  /** Number of the call in its operation, from 1. */
  readonly call?: number;
  /** Place of the record in its operation, from 0. */
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
  /** What was asked of the provider: `batch-create`, `search`. */
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
  /** Told by another process from what is stored, because the one that did it kept nothing. */
  readonly isRetold?: boolean;
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
  isRetold: 'sluice.retold',
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
