import type { ProviderFailure } from '../results';
import type { CallSignal } from './errors';
import type { WireError } from './wire';

/** Codes of a body that could not be read into records: a value that does not fit its field's type, a field that is not there. */
const unreadable = /^(JSON_PARSER_ERROR|INVALID_FIELD)$/;

/**
 * What a collection that was refused whole says of single records. A 400 means that the request is not well formed and is to be sent again
 * with its syntax fixed; whatever is well formed is answered 200, record by record. So nothing of a 400 was written. Other codes speak of the
 * request, its headers or the object, and are no record's fault.
 * Source: Salesforce REST guide, "Create Records Using sObject Collections" (also Update); reference B3, B7.
 */
export function refusedForOne(
  { write, status, isBatch }: CallSignal,
  errors: readonly WireError[],
): Pick<ProviderFailure, 'mayBeOneRecord' | 'refusedFields'> {
  const isWrite = write === 'create' || write === 'update';
  if (!isBatch || !isWrite || status !== 400 || errors.length === 0) return {};
  if (!errors.every(({ code }) => unreadable.test(code ?? ''))) return {};
  return { mayBeOneRecord: true, refusedFields: [...new Set(errors.flatMap(unknownField))] };
}

/** The field that the object does not have: no record may carry it. */
function unknownField({ code, message }: WireError): string[] {
  const name = code === 'INVALID_FIELD' ? /^No such column '([^']+)' on sobject/.exec(message)?.[1] : undefined;
  return name === undefined ? [] : [name];
}
