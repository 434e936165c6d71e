import type { ErrorObject } from 'ajv';
import { nearestName } from '../nearest-name';

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
export function schemaRule(error: ErrorObject): string | undefined {
  if (error.keyword === 'additionalProperties') return unknownMember(error);
  // The error of the name itself comes before it.
  if (error.keyword === 'propertyNames') return undefined;
  return rules[error.keyword]?.(error.params as Params, error) ?? error.message ?? 'breaks a rule';
}

/** Where it is broken: at the member that is missing or not known, else at the value. */
export function stepsOf(error: ErrorObject): (string | number)[] {
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
