import { isJson, textOf, type Json } from './wire';

/** The code of a value that another record has in a property that the account keeps unique. Source: reference A2; open-source clients. */
const takenCode = 'CONFLICTING_UNIQUE_VALUE';

/** A problem with one property of a refused record, as a VALIDATION_ERROR lists it. */
interface PropertyProblem {
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly message: string;
}

/** Problems in the JSON list inside the message. Empty when it holds none. Source: reference A7. */
export function problemsIn(message: string): PropertyProblem[] {
  const from = message.indexOf('[');
  if (from < 0) return [];
  try {
    const problems: unknown = JSON.parse(message.slice(from, message.lastIndexOf(']') + 1));
    return (Array.isArray(problems) ? problems.filter(isJson) : []).map(toProblem);
  } catch {
    return [];
  }
}

function toProblem(problem: Json): PropertyProblem {
  return { code: textOf(problem['error']), name: textOf(problem['name']), message: textOf(problem['message']) ?? '' };
}

/** The refusal is a conflict: every problem it names is a value that is taken. */
export function isTakenValue(message: string): boolean {
  const problems = problemsIn(message);
  return problems.length > 0 && problems.every(({ code }) => code === takenCode);
}

/** The record that has the value, where the text names one: `171590000001 already has that value.` */
export function takenBy(message: string): string | undefined {
  const ids = problemsIn(message).flatMap((problem) => /^(\d+) already has/.exec(problem.message)?.[1] ?? []);
  const [only, ...others] = new Set(ids);
  return others.length === 0 ? only : undefined;
}
