import { SalesforceError } from '../wire-reply';

const BEFORE = 20;
const AFTER = 40;

/** A refusal that points at a place of the query, as Salesforce shows it: excerpt, caret, row and column, reason. */
export function queryError(
  soql: string,
  at: number,
  { code, message }: { code: string; message: string },
): SalesforceError {
  const start = Math.max(0, at - BEFORE);
  const excerpt = soql.slice(start, at + AFTER).replace(/\s/g, ' ');
  const before = soql.slice(0, at).split('\n');
  const place = `ERROR at Row:${before.length}:Column:${(before.at(-1)?.length ?? 0) + 1}`;
  const text = `\n${excerpt}\n${' '.repeat(at - start)}^\n${place}\n${message}`;
  return new SalesforceError(400, { code, message: text });
}

/** A text that is no SOQL. */
export const malformed = (soql: string, at: number, message: string): SalesforceError =>
  queryError(soql, at, { code: 'MALFORMED_QUERY', message });
