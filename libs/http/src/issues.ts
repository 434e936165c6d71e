import { nearestName } from '@sluice/config';
import type { ErrorObject } from 'ajv';
import type { Issue } from '@sluice/errors';
import { limits } from '@sluice/types';
import { collapseUnions, type PhrasedError } from './collapse-unions';
import { fieldPath } from './issue-sentence';
import { shownValue } from './shown-value';

/** Part of the request that was checked. `mayNameSecrets`: it carries some, so an unknown name in it may be one. */
interface CheckedPlace {
  readonly where: Issue['in'];
  readonly mayNameSecrets: boolean;
}

/** What the validator found, as callers read it. At most `limits.issuesMax`; the same field and sentence once. */
export function toIssues(errors: readonly ErrorObject[], root: unknown, place: CheckedPlace): readonly Issue[] {
  const issues = new Map<string, Issue>();
  for (const phrased of collapseUnions(errors)) {
    const issue = toIssue(phrased, root, place);
    issues.set(`${issue.name} ${issue.detail}`, issue);
    if (issues.size === limits.issuesMax) break;
  }
  return [...issues.values()];
}

function toIssue({ error, sentence }: PhrasedError, root: unknown, { where, mayNameSecrets }: CheckedPlace): Issue {
  const steps = stepsOf(error.instancePath, root);
  const name = (last?: string) => fieldPath(last === undefined ? steps : [...steps, last], where);
  const params = error.params as Record<string, unknown>;
  const missing = params['missingProperty'];
  if (typeof missing === 'string' && error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
    return { in: where, name: name(missing), detail: sentence };
  }
  const unknown = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName'];
  // A misspelled secret is an unknown field: its value is never shown.
  if (typeof unknown === 'string') {
    const { detail, isNear } = unknownField(unknown, error);
    // Its name may be a secret as well, in the wrong place: this text goes into the problem's detail and into the log.
    if (mayNameSecrets && !isNear) return { in: where, name: name(), detail: unnamedField(error) };
    return { in: where, name: name(unknown), detail };
  }
  // `writeOnly` is how a schema marks a secret.
  const shown = error.parentSchema?.['writeOnly'] === true ? {} : shownValue(error.data, steps);
  return { in: where, name: name(), detail: sentence, ...shown };
}

function unknownField(name: string, error: ErrorObject): { readonly detail: string; readonly isNear?: true } {
  if (error.keyword === 'propertyNames') return { detail: 'has a name that is not allowed here' };
  const known = knownOf(error);
  const free = known.filter((one) => !Object.hasOwn(error.data as object, one));
  const nearest = nearestName(name, free);
  if (nearest !== undefined) return { detail: `is not a known field; did you mean ${nearest}?`, isNear: true };
  // A list of every field helps while it can be read at a glance.
  const isShort = known.length > 0 && known.length <= 12;
  return { detail: `is not a known field${isShort ? `; known are ${known.join(', ')}` : ''}` };
}

function unnamedField(error: ErrorObject): string {
  const known = knownOf(error).join(', ');
  return `has an unknown field, whose name is not shown because it may be a secret; known are ${known}`;
}

function knownOf(error: ErrorObject): readonly string[] {
  return Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
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
