import { Ajv, type ErrorObject } from 'ajv';
import type { ConfigProblem } from '../config-error';
import { readYaml, type YamlPlace } from './read-yaml';
import { schemaRule, stepsOf } from './schema-rule';

/** A broken rule of a document that its schema cannot say. */
export interface YamlIssue {
  /** Members and places in lists that lead to it: `['create', 'path']`. */
  readonly steps: readonly (string | number)[];
  /** A phrase that continues the path: `names no variable`. */
  readonly rule: string;
}

/** A document that keeps every rule, or all its problems, each with file, line, column and path. */
export type ReadDocument<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Problems of one file that are listed. Ours: a file of another kind would have hundreds. */
const problemsMax = 50;

/**
 * A reader of files of one kind, in YAML or JSON. Made once: a schema that is none throws here.
 * @param schema JSON Schema, draft 7, without `anyOf` and `oneOf`, whose errors nobody could read
 * @param rulesOf the further rules, asked only of a document that fits the schema
 */
export function createYamlReader<T>(
  schema: Readonly<Record<string, unknown>>,
  rulesOf: (value: T) => readonly YamlIssue[],
): (file: string, text: string) => ReadDocument<T> {
  // A file is read once: making its check faster would take longer than the check.
  const code = { optimize: false };
  const check = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true, code }).compile<T>(
    schema,
  );
  return (file, text) => {
    const read = readYaml(text);
    if (!read.ok) {
      return fail(
        read.problems.map(({ reason, place }) => toProblem(file, place, [], `is not readable as YAML: ${reason}`)),
      );
    }
    const value: unknown = JSON.parse(read.text.json);
    const issues = check(value) ? rulesOf(value) : (check.errors ?? []).flatMap(toIssue);
    if (issues.length === 0) return { ok: true, value: value as T };
    const problems = issues.map(({ steps, rule }) => toProblem(file, read.text.placeOf(steps), steps, rule));
    return fail(problems.toSorted(byPlace).map(({ name, rule }) => ({ name, rule })));
  };
}

type Placed = ConfigProblem & { readonly place: YamlPlace | undefined };

function fail(problems: readonly ConfigProblem[]) {
  return { ok: false, problems: problems.slice(0, problemsMax).map(({ name, rule }) => ({ name, rule })) } as const;
}

function byPlace({ place: one }: Placed, { place: other }: Placed): number {
  return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0);
}

function toProblem(
  file: string,
  place: YamlPlace | undefined,
  steps: readonly (string | number)[],
  rule: string,
): Placed {
  const at = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return { place, name: [at, path.replace(/^\./, '')].filter(Boolean).join(' '), rule };
}

function toIssue(error: ErrorObject): YamlIssue[] {
  const rule = schemaRule(error);
  return rule === undefined ? [] : [{ steps: stepsOf(error), rule }];
}
