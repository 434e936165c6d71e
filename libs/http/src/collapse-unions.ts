import type { ErrorObject } from 'ajv';
import { alternatives, issueSentence, kindOf } from './issue-sentence';

/** An error of the validator with the sentence that callers read. */
export interface PhrasedError {
  readonly error: ErrorObject;
  readonly sentence: string;
}

/**
 * Phrases the errors of one validation. Where no branch of `anyOf` or `oneOf` fits, the validator lists the
 * complaints of every branch; a caller is helped by those of the branch that was meant, or by one sentence for all.
 */
export function collapseUnions(errors: readonly ErrorObject[]): readonly PhrasedError[] {
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
