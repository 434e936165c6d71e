import { invalid, invalidJson } from './errors';
import { valueToString } from './validate-properties';

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
