import type { InputRefusal } from '../control/imitated-provider';
import { invalid, invalidJson, alreadyExists, HubspotError } from './wire-reply';
import {
  valueToString,
  missingProblems,
  propertiesInvalid,
  valueProblems,
  type PropertyProblem,
} from './validate-properties';
import type { RecordsStore } from './records-store';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the body as a JSON object. Lenient where HubSpot is: unknown members and duplicate keys pass. */
export function readJsonObject(bodyText: string): JsonObject {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch (cause) {
    throw invalidJson(describeSyntaxError(bodyText, cause));
  }
  if (!isObject(body)) throw invalidJson('line 1, column 1: Cannot deserialize value of the request model');
  return body;
}

/** `{properties}` of a create or update, every value as text. */
export function readProperties(source: JsonObject): Record<string, string> {
  const { properties } = source;
  if (!isObject(properties)) {
    throw invalidJson('line 1, column 1. Some required fields were not set: [properties]');
  }
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, valueToString(name, value)]));
}

/** A list of strings such as `properties`; absent means empty. */
export function readNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/** `inputs` of a batch call: 1 to `max` objects. */
export function readInputs(body: JsonObject, max = 100): readonly JsonObject[] {
  const { inputs } = body;
  if (!Array.isArray(inputs) || !inputs.every(isObject)) {
    throw invalidJson('line 1, column 1. Some required fields were not set: [inputs]');
  }
  if (inputs.length === 0) throw invalid('inputs must not be empty');
  if (inputs.length > max) {
    throw invalid(
      `The maximum number of inputs supported in a batch is ${max}. Please reduce the number of items and try again`,
    );
  }
  return inputs;
}

/** `objectWriteTraceId` of a batch input. */
export function readTraceId({ objectWriteTraceId }: JsonObject): string | undefined {
  return typeof objectWriteTraceId === 'string' ? objectWriteTraceId : undefined;
}

/** The id of a batch input, as text. */
export function readId(input: JsonObject): string {
  if (typeof input.id !== 'string' && typeof input.id !== 'number') {
    throw invalidJson('line 1, column 1. Some required fields were not set: [id]');
  }
  return String(input.id);
}

/** HubSpot counts lines and columns from one; V8 gives an offset, or nothing when the text ends too early. */
function describeSyntaxError(text: string, cause: unknown): string {
  const message = cause instanceof Error ? cause.message : 'Unexpected character';
  const offset = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message}`;
}

/** Status of a whole call that fails for a reason of this category. */
const statusOfCategory: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  MISSING_SCOPES: 403,
  OBJECT_NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITS: 429,
  INTERNAL_ERROR: 500,
};

/** Why one write must not happen, or undefined. Names are checked before, by `definitionProblems`. */
export function checkWrite(
  records: RecordsStore,
  values: Readonly<Record<string, string>>,
  options: {
    /** Id of the record that is updated; absent for a new one. */
    readonly ownId?: string | undefined;
    readonly refusal?: InputRefusal | undefined;
  } = {},
): HubspotError | undefined {
  if (options.refusal) return refused(options.refusal);
  const { type } = records;
  const problems = [...missingProblems(type, values, options.ownId === undefined), ...valueProblems(type, values)];
  if (problems.length > 0) return propertiesInvalid(problems);
  const conflict = records.conflict(values, options.ownId);
  if (!conflict) return undefined;
  const { property, existing } = conflict;
  return property === 'email' ? alreadyExists(existing.id) : propertiesInvalid([duplicateValue(property, existing.id)]);
}

/** Carries out a `partial` fault on a call with one input. */
export function refuseByScript(refusals: ReadonlyMap<number, InputRefusal>): void {
  const refusal = refusals.get(0);
  if (refusal) throw refused(refusal);
}

/** The refusal that a `partial` fault asks for. */
export function refused({ code = 'VALIDATION_ERROR', message }: InputRefusal): HubspotError {
  return new HubspotError(statusOfCategory[code] ?? 400, { message, category: code });
}

/** Another record has the value of a custom unique property. */
function duplicateValue(property: string, existingId: string): PropertyProblem {
  return {
    isValid: false,
    message: `${existingId} already has that value.`,
    error: 'CONFLICTING_UNIQUE_VALUE',
    name: property,
  };
}
