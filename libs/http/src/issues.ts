import { nearestName } from '@sluice/config';
import type { ErrorObject } from 'ajv';
import type { Issue } from '@sluice/errors';
import { limits } from '@sluice/types';
import { fieldPath, issueSentence } from './issue-sentence';

/** Part of the request that was checked. `mayNameSecrets`: it carries some, so an unknown name in it may be one. */
interface CheckedPart {
  readonly where: Issue['in'];
  readonly mayNameSecrets: boolean;
}

/** What the validator found, as callers read it. At most `limits.issuesMax`; the same field and sentence once. */
export function toIssues(errors: readonly ErrorObject[], root: unknown, part: CheckedPart): readonly Issue[] {
  const listed = new Set(errors.filter(({ keyword }) => keyword === 'enum').map(({ instancePath }) => instancePath));
  const issues = new Map<string, Issue>();
  for (const error of errors) {
    // The allowed values say their type.
    if (error.keyword === 'type' && listed.has(error.instancePath)) continue;
    const issue = toIssue(error, root, part);
    issues.set(`${issue.name} ${issue.detail}`, issue);
    if (issues.size === limits.issuesMax) break;
  }
  return [...issues.values()];
}

function toIssue(error: ErrorObject, root: unknown, { where, mayNameSecrets }: CheckedPart): Issue {
  const steps = stepsOf(error.instancePath, root);
  const name = (last?: string) => fieldPath(last === undefined ? steps : [...steps, last], where);
  const params = error.params as Record<string, unknown>;
  const { missingProperty: missing, additionalProperty: unknown } = params;
  if (typeof missing === 'string') return { in: where, name: name(missing), detail: issueSentence(error) };
  // A misspelled secret is an unknown field: its value is never shown.
  if (typeof unknown === 'string') {
    const { detail, isNear } = unknownField(unknown, error);
    // A secret may have been sent as its name by mistake: this text goes into the problem's detail and into the log.
    if (mayNameSecrets && !isNear) return { in: where, name: name(), detail: unnamedField(error) };
    return { in: where, name: name(unknown), detail };
  }
  // `writeOnly` is how a schema marks a secret.
  const shown = error.parentSchema?.['writeOnly'] === true ? {} : shownValue(error.data, steps);
  return { in: where, name: name(), detail: issueSentence(error), ...shown };
}

function unknownField(name: string, error: ErrorObject): { readonly detail: string; readonly isNear?: true } {
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

/** A JSON pointer as steps. Only the value itself shows whether `3` is an index of a list or the name of a member. */
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

/** Members whose values are secrets wherever they occur. Compared without case, `-` and `_`. */
const secretNames = new Set([
  'token',
  'accesstoken',
  'refreshtoken',
  'apikey',
  'xapikey',
  'password',
  'clientsecret',
  'secret',
  'authorization',
  'credentials',
  // Where a private key is sent by mistake.
  'publickeypem',
  // Objects of a connection that hold some.
  'customauth',
  'basicauth',
  'oauth2authorizationcode',
  'oauth2clientcredentials',
  'oauth2passwordcredentials',
]);

/** Longest text that is shown. */
const lengthMax = 80;

/**
 * What may be shown of a refused value: texts shortened, lists and objects by their size only, because they can hold secrets. Nothing at all is shown
 * below a member that names a secret.
 */
function shownValue(value: unknown, steps: readonly (string | number)[]): { readonly value?: unknown } {
  if (value === undefined || isBelowSecret(steps)) return {};
  if (typeof value === 'string') return { value: value.length > lengthMax ? `${cut(value)}…` : value };
  if (Array.isArray(value)) return { value: `list of ${value.length}` };
  if (typeof value === 'object' && value !== null) return { value: `object of ${Object.keys(value).length}` };
  return { value };
}

/** Whether a path leads to a member that names a secret, or into one. */
export function isBelowSecret(steps: readonly (string | number)[]): boolean {
  return steps.some((step) => typeof step === 'string' && isSecret(step));
}

function isSecret(name: string): boolean {
  return secretNames.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
}

/** Not in the middle of a surrogate pair. */
function cut(text: string): string {
  return text.slice(0, lengthMax).toWellFormed();
}
