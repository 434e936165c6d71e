import { ValidationError, type Issue } from '@sluice/errors';
import { InboundError } from '../problem-handler';
import { inspectJson, type JsonFault } from './inspect-json';
import { countMembers } from './member-names';
import { scanJson, usualBounds, type JsonBounds } from './scan-json';

/**
 * JSON.parse that refuses what it would silently change or what would hurt later: repeated names, names that reach a
 * prototype, names with NUL, more than 1 000 members in an object, more than 32 levels, numbers that a double cannot carry.
 * @param bounds what is refused before it is parsed, because of what parsing and planning it would cost. @default 100 000 values
 * @throws InboundError `request.malformed-json`, with line and column
 * @throws ValidationError `request.invalid` or `write.number-not-exact`, with the path of each fault
 */
export function parseJson(text: string, bounds: JsonBounds = usualBounds): unknown {
  const scan = scanJson(text, bounds);
  if (scan.isTooDeep || scan.isTooLarge || scan.hasInexactNumber) throw refusal(text, bounds);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal(text, bounds);
  }
  if (countMembers(value, text.includes('\\u')) !== scan.members) throw refusal(text, bounds);
  return value;
}

function refusal(text: string, bounds: JsonBounds): InboundError | ValidationError {
  const faults = inspectJson(text, bounds);
  const broken = faults.find((fault) => fault.kind === 'syntax');
  if (broken) return malformed(text, broken);
  const onlyNumbers = faults.length > 0 && faults.every((fault) => fault.kind === 'number');
  const code = onlyNumbers ? 'write.number-not-exact' : 'request.invalid';
  const detail = faults.map((fault) => `${fault.path} ${fault.detail}`)[0] ?? 'The body breaks a rule of JSON.';
  return new ValidationError({ code, detail: `${detail}.`, issues: faults.map(toIssue) });
}

function malformed(text: string, fault: JsonFault): InboundError {
  const before = text.slice(0, fault.at).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  const detail = `The body ${fault.detail}: line ${before.length}, column ${column} (position ${fault.at}).`;
  return new InboundError({ code: 'request.malformed-json', detail });
}

function toIssue(fault: JsonFault): Issue {
  const value = fault.literal === undefined ? {} : { value: fault.literal };
  return { in: 'body', name: fault.path, detail: fault.detail, ...value };
}
