import { Ajv, type ErrorObject } from 'ajv';
import { nearestName, type ConfigProblem } from '@sluice/config';
import { readYaml, type YamlPosition } from './read-yaml';

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

/** Problems of one file that are listed. Our choice: a file of another kind would have hundreds. */
const problemsMax = 50;

/**
 * A reader of files of one kind, in YAML or JSON.
 * @param schema JSON Schema, draft 7, without `anyOf` and `oneOf`, whose errors nobody could read
 * @param rulesOf the further rules, asked only of a document that fits the schema
 */
export function createYamlReader<T>(
  schema: Readonly<Record<string, unknown>>,
  rulesOf: (value: T) => readonly YamlIssue[],
): (file: string, text: string) => ReadDocument<T> {
  // A file is read once: making its check faster would take longer than the check.
  const quick = { meta: false, validateSchema: false, code: { optimize: false } };
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true, ...quick });
  const check = ajv.compile<T>(schema);
  return (file, text) => {
    const read = readYaml(text);
    if (!read.ok) {
      return fail(
        read.problems.map(({ reason, position }) =>
          toProblem(file, position, [], `is not readable as YAML: ${reason}`),
        ),
      );
    }
    const value: unknown = JSON.parse(read.text.json);
    const issues = check(value) ? rulesOf(value) : (check.errors ?? []).flatMap(toIssue);
    if (issues.length === 0) return { ok: true, value: value as T };
    const problems = issues.map(({ steps, rule }) => toProblem(file, read.text.positionOf(steps), steps, rule));
    return fail(problems.toSorted(byPosition).map(({ name, rule }) => ({ name, rule })));
  };
}

type PositionedProblem = ConfigProblem & { readonly position: YamlPosition | undefined };

function fail(problems: readonly ConfigProblem[]) {
  return { ok: false, problems: problems.slice(0, problemsMax).map(({ name, rule }) => ({ name, rule })) } as const;
}

function byPosition({ position: one }: PositionedProblem, { position: other }: PositionedProblem): number {
  return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0);
}

function toProblem(
  file: string,
  position: YamlPosition | undefined,
  steps: readonly (string | number)[],
  rule: string,
): PositionedProblem {
  const at = position === undefined ? file : `${file}:${position.line}:${position.column}`;
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return { position, name: [at, path.replace(/^\./, '')].filter(Boolean).join(' '), rule };
}

function toIssue(error: ErrorObject): YamlIssue[] {
  const rule = schemaRule(error);
  return rule === undefined ? [] : [{ steps: stepsOf(error), rule }];
}

type Params = Readonly<Record<string, unknown>>;

/** Keyword of JSON Schema to the rule it stands for. A `description` beside a pattern says what the pattern is. */
const rules: Readonly<Record<string, (params: Params, error: ErrorObject) => string>> = {
  type: ({ type }) => `must be ${[type].flat().join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  required: () => 'is required',
  pattern: ({ pattern }, { parentSchema }) =>
    `must be ${textOf(parentSchema?.['description'] ?? `like ${textOf(pattern)}`)}`,
  minimum: ({ limit }) => `must be at least ${textOf(limit)}`,
  maximum: ({ limit }) => `must be at most ${textOf(limit)}`,
  minLength: () => 'must not be empty',
  maxLength: ({ limit }) => `must have at most ${textOf(limit)} characters`,
  minItems: () => 'must not be empty',
  maxItems: ({ limit }) => `must have at most ${textOf(limit)} items`,
  minProperties: () => 'must not be empty',
  maxProperties: ({ limit }) => `must have at most ${textOf(limit)} members`,
  uniqueItems: () => 'must not have the same item twice',
};

/** A broken rule of a schema as the end of a sentence; undefined for what another error says better. */
function schemaRule(error: ErrorObject): string | undefined {
  if (error.keyword === 'additionalProperties') return unknownMember(error);
  // The error of the name itself comes before it.
  if (error.keyword === 'propertyNames') return undefined;
  return rules[error.keyword]?.(error.params as Params, error) ?? error.message ?? 'breaks a rule';
}

/** Where it is broken: at the member that is missing or not known, else at the value. */
function stepsOf(error: ErrorObject): (string | number)[] {
  const steps = error.instancePath.split('/').slice(1).map(unescaped);
  const { missingProperty, additionalProperty } = error.params as Params;
  const last = missingProperty ?? additionalProperty ?? error.propertyName;
  return typeof last === 'string' ? [...steps, last] : steps;
}

function unescaped(step: string): string | number {
  return /^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function unknownMember({ params, parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object);
  const nearest = nearestName(String((params as Params)['additionalProperty']), known);
  return nearest === undefined
    ? `is not known here; known are ${known.join(', ')}`
    : `is not known here; did you mean ${nearest}?`;
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map(textOf).join(', ') : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
