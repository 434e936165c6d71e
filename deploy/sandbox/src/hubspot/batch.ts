import type { ApiReply } from '../crm/api-call';
import { isObject, type JsonObject } from '../crm/json-body';
import { batchError, fieldMissing, invalid, refused, type BatchError, type Context, type HubspotError } from './errors';
import type { PortalCall } from './portal-data';
import { readJsonObject } from './properties';

/** `inputs` of a batch call: 1 to `max` objects. */
export function readInputs(bodyText: string, max = 100): readonly JsonObject[] {
  return inputsOf(readJsonObject(bodyText), max);
}

export function inputsOf({ inputs }: JsonObject, max = 100): readonly JsonObject[] {
  if (!Array.isArray(inputs) || !inputs.every(isObject)) throw fieldMissing('inputs');
  if (inputs.length === 0) throw invalid('inputs must not be empty');
  if (inputs.length <= max) return inputs;
  throw invalid(
    `The maximum number of inputs supported in a batch is ${max}. Please reduce the number of items and try again`,
  );
}

/** The id of a batch input, as text. */
export function readId(input: JsonObject): string {
  if (typeof input.id !== 'string' && typeof input.id !== 'number') throw fieldMissing('id');
  return String(input.id);
}

/** One record id twice in a batch refuses the whole call, for reads as well as for updates. */
export function refuseDuplicateIds(ids: readonly string[]): void {
  const repeated = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
  if (repeated.length === 0) return;
  const message = `Duplicate IDs found in batch input: [${repeated.join(', ')}]. IDs must be unique`;
  throw invalid(message, { context: { ids: repeated } });
}

interface Outcome<Result> {
  readonly results: readonly Result[];
  readonly errors: readonly BatchError[];
}

/** How a batch treats each of its inputs. */
interface Step<Input, Result> {
  check(input: Input): HubspotError | undefined;
  /** @returns the result, or none for an input that is reported otherwise */
  apply(input: Input): readonly Result[];
  /** What names a refused input in its error. */
  naming(input: Input, failure: HubspotError): Context;
}

/** Applies every input that passes its check; the others become errors. */
export function runEach<Input, Result>(
  call: PortalCall,
  inputs: readonly Input[],
  step: Step<Input, Result>,
): Outcome<Result> {
  const results: Result[] = [];
  const errors: BatchError[] = [];
  for (const [index, input] of inputs.entries()) {
    const failure = failureAt(call, index) ?? step.check(input);
    if (failure) errors.push(batchError(failure, step.naming(input, failure)));
    else results.push(...step.apply(input));
  }
  return { results, errors };
}

/** Why a call that is all or nothing fails: its first input that is refused, by script or by its check. */
export function firstFailure<Input>(
  call: PortalCall,
  inputs: readonly Input[],
  check: Step<Input, unknown>['check'],
): HubspotError | undefined {
  for (const [index, input] of inputs.entries()) {
    const failure = failureAt(call, index) ?? check(input);
    if (failure) return failure;
  }
  return undefined;
}

/** The failure of an input that a `partial` fault refuses. */
function failureAt({ refusals }: PortalCall, index: number): HubspotError | undefined {
  const refusal = refusals.get(index);
  return refusal && refused(refusal);
}

/** Carries out a `partial` fault on a call with one input. */
export function refuseByScript(call: PortalCall): void {
  const failure = failureAt(call, 0);
  if (failure) throw failure;
}

/**
 * The envelope of every batch call. `okStatus` becomes 207 as soon as one input failed.
 * Member order as recorded; `errors` and `numErrors` are absent when nothing failed.
 */
export function batchReply(call: PortalCall, okStatus: 200 | 201, { results, errors }: Outcome<unknown>): ApiReply {
  const failed = errors.length > 0 ? { errors, numErrors: errors.length } : {};
  const at = call.now.toISOString();
  return {
    status: errors.length > 0 ? 207 : okStatus,
    body: { completedAt: at, status: 'COMPLETE', startedAt: at, results, ...failed },
  };
}
