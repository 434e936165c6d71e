import type { Issue, ProblemCode } from '@sluice/errors';
import { bodyIssue } from './problem';
import { checkNames, pathOf } from './field-names';
import { checkForwardedHeaders } from './forwarded-headers';
import { limits } from './limits';
import { recordIdOf } from './record-id';
import type { WriteRecord, WriteRequest, WriteType } from './write-request';

/** Ends the detail of each issue that this one change resolves. Same words as the problem registry. */
const modeRemedy = 'add "mode": "asynchronous"';

/**
 * The rules between the fields of a write that a schema cannot say well. Call it with a body the schema accepts.
 * At most 20 issues, each detail continues the field's name; none means the request is valid.
 * Source: specification, Write records; design 6.
 */
export function checkWriteRequest(body: WriteRequest): Issue[] {
  const issues = [
    ...checkForm(body),
    ...(body.type === 'delete' ? checkDelete(body) : checkPolicies(body)),
    ...checkRecords(body),
    ...checkForwardedHeaders(body.headers ?? []),
  ];
  return issues.slice(0, limits.issuesMax);
}

/** `write.mode-required` when asynchronous mode is all that is missing, else `request.invalid`. Takes at least one issue. */
export function codeOfWriteIssues(issues: readonly Issue[]): ProblemCode {
  return issues.every(({ detail }) => detail.endsWith(modeRemedy)) ? 'write.mode-required' : 'request.invalid';
}

function checkForm({ type, record, batch, associations }: WriteRequest): Issue[] {
  if (!record && !batch) {
    return [bodyIssue('record', type === 'delete' ? 'is required' : 'is required, or batch in its place')];
  }
  const issues: Issue[] = [];
  if (record && batch) issues.push(bodyIssue('batch', 'cannot be combined with record'));
  if (batch && associations) issues.push(bodyIssue('associations', 'must stand on each item of batch'));
  return issues;
}

function checkPolicies({ mode, batch, batchPolicy, autoBatchPolicy, retryPolicy }: WriteRequest): Issue[] {
  const isAsynchronous = mode === 'asynchronous';
  const issues: Issue[] = [];
  if (autoBatchPolicy && !isAsynchronous) {
    issues.push(bodyIssue('autoBatchPolicy', `needs asynchronous mode: ${modeRemedy}`));
  }
  if (retryPolicy && !isAsynchronous) issues.push(bodyIssue('retryPolicy', `needs asynchronous mode: ${modeRemedy}`));
  if (autoBatchPolicy && batch) issues.push(bodyIssue('autoBatchPolicy', 'is for a single record, not for batch'));
  if (batchPolicy && !batch) issues.push(bodyIssue('batchPolicy', 'is for batch only'));
  return issues;
}

function checkDelete(body: WriteRequest): Issue[] {
  const issues: Issue[] = [];
  if (body.mode === 'asynchronous')
    issues.push(bodyIssue('mode', 'must be synchronous: a delete always is', body.mode));
  for (const name of ['batch', 'associations', 'batchPolicy', 'autoBatchPolicy', 'retryPolicy'] as const) {
    if (body[name] !== undefined)
      issues.push(bodyIssue(name, 'cannot be used with a delete: it takes a single record and no policy'));
  }
  for (const name of Object.keys(body.record ?? {})) {
    if (name !== 'id' && issues.length < limits.issuesMax)
      issues.push(bodyIssue(pathOf('record', name), 'is not allowed: the record of a delete holds only id'));
  }
  return issues;
}

function checkRecords({ type, record, batch }: WriteRequest): Issue[] {
  const issues = record ? checkRecord(type, record, 'record') : [];
  for (const [index, item] of (batch ?? []).entries()) {
    if (issues.length >= limits.issuesMax) break;
    issues.push(...checkRecord(type, item.record, `${pathOf('batch', index)}.record`));
  }
  return issues;
}

function checkRecord(type: WriteType, record: WriteRecord, path: string): Issue[] {
  const count = Object.keys(record).length;
  if (count > limits.recordFieldsMax)
    return [bodyIssue(path, `holds more than ${limits.recordFieldsMax} fields`, count)];
  if (count === 0 && type === 'create') return [bodyIssue(path, 'must hold at least one field')];
  const issues = checkNames(record, path);
  if (type !== 'create' && recordIdOf(record) === undefined) issues.push(idIssue(type, record, path));
  return issues;
}

function idIssue(type: WriteType, record: WriteRecord, path: string): Issue {
  const value = Object.hasOwn(record, 'id') ? record['id'] : undefined;
  const form = `1 to ${limits.nameCharactersMax} characters without NUL, or a whole number`;
  const detail =
    value === undefined ? `is required for ${type}: the provider's id of the record` : `must be an id: ${form}`;
  return bodyIssue(`${path}.id`, detail, typeof value === 'string' ? value.slice(0, 80) : scalar(value));
}

function scalar(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? undefined : value;
}
