import type { ObjectDefinition } from '../field-definition';
import type { Org } from '../org';
import type { StoredRecord } from '../record-values';
import { comparableLiteral, comparableValue, requireOperator } from './comparable';
import { resolvePath, valueAt } from './field-path';
import type { Condition } from './query';
import { queryError } from './query-error';

type Test = (org: Org, record: StoredRecord) => boolean;
type Comparison = Extract<Condition, { readonly kind: 'compare' }>;

/** Turns a condition into a test of records, after every name and literal in it was checked. */
export function conditionTest(soql: string, object: ObjectDefinition, condition: Condition): Test {
  if (condition.kind === 'compare') return comparisonTest(soql, object, condition);
  if (condition.kind === 'not') {
    const inside = conditionTest(soql, object, condition.part);
    return (org, record) => !inside(org, record);
  }
  const parts = condition.parts.map((part) => conditionTest(soql, object, part));
  return condition.kind === 'and'
    ? (org, record) => parts.every((part) => part(org, record))
    : (org, record) => parts.some((part) => part(org, record));
}

/** Null meets `=` and `!=` of null and every negative comparison, nothing else. */
function comparisonTest(soql: string, object: ObjectDefinition, comparison: Comparison): Test {
  const { name, operator, literals } = comparison;
  const path = resolvePath(soql, object, name);
  const { field } = path;
  if (!field.filterable) {
    const message = `field '${field.name}' can not be filtered in a query call`;
    throw queryError(soql, name.at, { code: 'INVALID_FIELD', message });
  }
  requireOperator(soql, field, operator, name);
  const wanted = literals.map((literal) => comparableLiteral(soql, field, literal));
  const [first = null] = wanted;
  const [literal] = literals;
  const pattern = literal?.kind === 'string' ? literal.pattern : undefined;
  return (org, record) => {
    const stored = valueAt(org, record, path);
    const actual = comparableValue(field.type, stored);
    switch (operator) {
      case '=':
      case 'IN':
        return wanted.includes(actual);
      case '!=':
      case 'NOT IN':
        return !wanted.includes(actual);
      case 'LIKE':
        return typeof stored === 'string' && pattern?.test(stored) === true;
      default:
        return actual !== null && first !== null && isOrdered(operator, actual, first);
    }
  };
}

function isOrdered(
  operator: '<' | '<=' | '>' | '>=',
  a: string | number | boolean,
  b: string | number | boolean,
): boolean {
  if (a === b) return operator.endsWith('=');
  return operator.startsWith('<') ? a < b : a > b;
}
