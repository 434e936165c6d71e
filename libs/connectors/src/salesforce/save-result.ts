import type { FailureClass } from '@sluice/errors';
import type { RecordResult } from '../results';
import type { SalesforceAnswer } from './call-salesforce';
import type { Signal } from './error-table';
import { isObjectName } from './paths';
import { itemFailure } from './errors';
import { untold } from './outcome-table';
import { readSaved } from './wire';

/** The outcome of a single write. Its reply carries no record, so there is no `data`. Source: reference B2. */
export function toRecordResult(
  answer: SalesforceAnswer,
  { write, recordId, token }: { write: Signal['write']; recordId?: string; token: string },
): RecordResult {
  if (!answer.ok) return { ok: false, error: answer.failure };
  const saved = readSaved(answer.body);
  // A 2xx body can still say success:false.
  if (saved?.success === false || (saved?.success === undefined && (saved?.errors.length ?? 0) > 0)) {
    return { ok: false, error: itemFailure(saved?.errors ?? [], write, token) };
  }
  if (recordId !== undefined) return answer.body === undefined || saved?.success ? { ok: true, recordId } : withoutWord;
  if (saved?.id === undefined) return withoutId;
  return saved.success === true ? { ok: true, recordId: saved.id } : mayBeCreated;
}

const withoutId = failed(untold.create.class, 'Salesforce answered with success but without a record id');
const mayBeCreated = failed(
  untold.create.class,
  'Salesforce answered with an id but does not say that it created the record',
);
const withoutWord = failed(untold.single.class, 'Salesforce answered with success but does not say so of the record');

function failed(failureClass: FailureClass, message: string): RecordResult {
  return { ok: false, error: { class: failureClass, scope: 'record', message } };
}

/** An object name goes into the path, where it cannot be escaped into a name of another form. */
export function refusedObject(objectName: string): RecordResult | undefined {
  return isObjectName(objectName) ? undefined : refuse(objectRule(objectName));
}

export function objectRule(objectName: string): string {
  return `the object '${objectName.slice(0, 80)}' has no Salesforce name: a letter, then letters, digits and _, at most 80`;
}

/** Not sent: what is wrong can be seen here. */
export function refuse(message: string): RecordResult {
  return { ok: false, error: { class: 'rejected', scope: 'record', message } };
}
