import { nearestName } from '@sluice/config';
import type { ErrorObject } from 'ajv';
import type { Issue } from '@sluice/errors';
import { limits } from '@sluice/types';
import { fieldPath, alternatives, issueSentence, kindOf } from './issue-sentence';

/** Part of the request that was checked. `mayNameSecrets`: it carries some, so an unknown name in it may be one. */
interface CheckedPart {
  readonly where: Issue['in'];
  readonly mayNameSecrets: boolean;
}

/** What the validator found, as callers read it. At most `limits.issuesMax`; the same field and sentence once. */
export function toIssues(errors: readonly ErrorObject[], root: unknown, part: CheckedPart): readonly Issue[] {
  const issues = new Map<string, Issue>();
  for (const phrased of collapseUnions(errors)) {
    const issue = toIssue(phrased, root, part);
    issues.set(`${issue.name} ${issue.detail}`, issue);
    if (issues.size === limits.issuesMax) break;
  }
  return [...issues.values()];
}

function toIssue({ error, sentence }: PhrasedError, root: unknown, { where, mayNameSecrets }: CheckedPart): Issue {
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
    // A secret may have been sent as its name by mistake: this text goes into the problem's detail and into the log.
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

/** An error of the validator with the sentence that callers read. */
export interface PhrasedError {
  readonly error: ErrorObject;
  readonly sentence: string;
}

/**
 * Phrases the errors of one validation. Where no branch of `anyOf` or `oneOf` fits, the validator lists the complaints of every branch. Those of the
 * branch that was meant help a caller, or one sentence for all.
 */
function collapseUnions(errors: readonly ErrorObject[]): readonly PhrasedError[] {
  const phrased: PhrasedError[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      phrased.push({ error, sentence: issueSentence(error) });
      continue;
    }
    let start = phrased.length;
    while (start > 0 && isOfBranch(phrased[start - 1]?.error, error)) start -= 1;
    phrased.push(...ofUnion(error, phrased.splice(start)));
  }
  const listed = new Set(errors.filter((error) => error.keyword === 'enum').map((error) => error.instancePath));
  return phrased.filter(({ error }) => {
    // The allowed values say their type.
    if (error.keyword === 'type' && listed.has(error.instancePath)) return false;
    return error.keyword !== 'if' && error.propertyName === undefined;
  });
}

/** Errors of branches come right before that of the union; those behind a `$ref` keep the path of their own schema. */
function isOfBranch(error: ErrorObject | undefined, union: ErrorObject): boolean {
  if (!error?.instancePath.startsWith(union.instancePath)) return false;
  const parent = union.schemaPath.slice(0, -union.keyword.length);
  return error.schemaPath.startsWith(`${union.schemaPath}/`) || !error.schemaPath.startsWith(parent);
}

function ofUnion(union: ErrorObject, branches: readonly PhrasedError[]): readonly PhrasedError[] {
  if (branches.length === 0) return [{ error: union, sentence: tooManyFit(union) }];
  const atRoot = branches.filter(({ error }) => error.instancePath === union.instancePath);
  if (atRoot.length === branches.length) {
    const sentence = allOfOneKind(branches.map(({ error }) => error));
    if (sentence !== undefined) return [{ error: union, sentence }];
  }
  return likeliest(union, branches);
}

function allOfOneKind(errors: readonly ErrorObject[]): string | undefined {
  const only = (keyword: string) => errors.every((error) => error.keyword === keyword);
  if (only('type')) return `must be ${kindOf(errors.flatMap((error) => error.params['type'] as string))}`;
  if (only('required')) return `needs ${alternatives(errors.map((error) => String(error.params['missingProperty'])))}`;
  if (only('const')) {
    return `must be ${alternatives(errors.map((error) => JSON.stringify(error.params['allowedValue'])))}`;
  }
  return undefined;
}

/** More than one branch fits. */
function tooManyFit(union: ErrorObject): string {
  const forms: readonly unknown[] = Array.isArray(union.schema) ? union.schema : [];
  const names = forms.flatMap((form) => (form as { required?: readonly string[] }).required ?? []);
  if (forms.length > 0 && names.length === forms.length) return `takes only one of ${names.join(', ')}`;
  return 'fits more than one of the forms allowed here';
}

/** The branch with the fewest complaints, leaving out those that do not even take a value of this type. */
function likeliest(union: ErrorObject, branches: readonly PhrasedError[]): readonly PhrasedError[] {
  const groups = new Map<string, PhrasedError[]>();
  for (const one of branches) {
    const key = branchOf(one.error, union);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const isOtherType = ({ error }: PhrasedError) =>
    error.instancePath === union.instancePath && ['type', 'const', 'enum'].includes(error.keyword);
  const fitting = [...groups.values()].filter((group) => !group.some(isOtherType));
  const sorted = fitting.toSorted((a, b) => a.length - b.length);
  return sorted[0] ?? [{ error: union, sentence: 'fits none of the forms allowed here' }];
}

function branchOf(error: ErrorObject, union: ErrorObject): string {
  const prefix = `${union.schemaPath}/`;
  if (error.schemaPath.startsWith(prefix)) return error.schemaPath.slice(prefix.length).split('/', 1)[0] ?? '';
  return error.schemaPath.split('/').slice(0, 3).join('/');
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
