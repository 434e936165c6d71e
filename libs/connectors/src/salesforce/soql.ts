/** One condition; conditions are joined by AND. The field is an identifier, the literals are finished texts. */
export interface Condition {
  readonly field: string;
  readonly operator: '=' | 'IN' | '>=';
  /** One, or any number with IN. */
  readonly literals: readonly string[];
}

export interface Selection {
  readonly objectName: string;
  /** Canonical names without `Id`, or every field. */
  readonly fields: readonly string[] | 'all';
  readonly where: readonly Condition[];
  readonly limit: number;
}

/**
 * The one place that joins a query. It takes identifiers that were looked up in the object's description and literals
 * that `soql-literal.ts` made; no text of a caller comes here. Source: reference B4; reliability checklist, item 25.
 */
export function toSoql({ objectName, fields, where, limit }: Selection): string {
  const names = fields === 'all' ? 'FIELDS(ALL)' : [...new Set(['Id', ...fields])].join(', ');
  const conditions = where.map(
    ({ field, operator, literals }) =>
      `${field} ${operator} ${operator === 'IN' ? `(${literals.join(', ')})` : literals.join('')}`,
  );
  const filter = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `SELECT ${names} FROM ${objectName}${filter} LIMIT ${limit}`;
}
