import { problemsIn } from './property-problems';
import { isJson, textOf, type Json } from './wire';

/** Codes of a property that no record may carry, whatever its value. Source: reference A7. */
const codes = new Set(['PROPERTY_DOESNT_EXIST', 'READ_ONLY_VALUE']);

/**
 * Properties that a refused batch names as unknown or read-only: in the JSON list inside the message, and in `errors[]`. Empty when it
 * names none. Source: reference A3, A7.
 */
export function refusedFieldsOf(body: Json): string[] {
  const problems = [...problemsIn(textOf(body['message']) ?? ''), ...listOf(body['errors']).map(toProblem)];
  return [
    ...new Set(problems.flatMap(({ code, name }) => (name !== undefined && codes.has(code ?? '') ? [name] : []))),
  ];
}

interface Problem {
  readonly code: string | undefined;
  readonly name: string | undefined;
}

function toProblem(error: Json): Problem {
  const context = isJson(error['context']) ? error['context'] : {};
  const [name] = Array.isArray(context['propertyName']) ? (context['propertyName'] as unknown[]) : [];
  return { code: textOf(error['code']), name: textOf(name) };
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}
