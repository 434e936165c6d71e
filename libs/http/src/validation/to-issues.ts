import type { ErrorObject } from 'ajv';
import type { Issue } from '@sluice/errors';
import { limits } from '@sluice/types';
import { collapseUnions, type PhrasedError } from './collapse-unions';
import { fieldPath } from './field-path';
import { nearestName } from './nearest-name';
import { shownValue } from './shown-value';

/** What the validator found, as callers read it. At most `limits.issuesMax`; the same field and sentence once. */
export function toIssues(errors: readonly ErrorObject[], root: unknown, where: Issue['in']): readonly Issue[] {
  const issues = new Map<string, Issue>();
  for (const phrased of collapseUnions(errors)) {
    const issue = toIssue(phrased, root, where);
    issues.set(`${issue.name} ${issue.detail}`, issue);
    if (issues.size === limits.issuesMax) break;
  }
  return [...issues.values()];
}

function toIssue({ error, sentence }: PhrasedError, root: unknown, where: Issue['in']): Issue {
  const steps = stepsOf(error.instancePath, root);
  const name = (last?: string) => fieldPath(last === undefined ? steps : [...steps, last], where);
  const params = error.params as Record<string, unknown>;
  const missing = params['missingProperty'];
  if (typeof missing === 'string' && error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
    return { in: where, name: name(missing), detail: sentence };
  }
  const unknown = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName'];
  // A misspelled secret is an unknown field: its value is never shown.
  if (typeof unknown === 'string') return { in: where, name: name(unknown), detail: unknownField(unknown, error) };
  // `writeOnly` is how a schema marks a secret.
  const shown = error.parentSchema?.['writeOnly'] === true ? {} : shownValue(error.data, steps);
  return { in: where, name: name(), detail: sentence, ...shown };
}

function unknownField(name: string, error: ErrorObject): string {
  if (error.keyword === 'propertyNames') return 'has a name that is not allowed here';
  const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
  const free = known.filter((one) => !Object.hasOwn(error.data as object, one));
  const nearest = nearestName(name, free);
  if (nearest !== undefined) return `is not a known field; did you mean ${nearest}?`;
  // A list of every field helps while it can be read at a glance.
  return known.length > 0 && known.length <= 12
    ? `is not a known field; known are ${known.join(', ')}`
    : 'is not a known field';
}

/** A JSON pointer as steps. Only the value itself tells whether `3` is a place in a list or the name of a member. */
function stepsOf(pointer: string, root: unknown): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  let value: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    steps.push(Array.isArray(value) ? Number(name) : name);
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }
  return steps;
}
