import { malformed } from './query-error';
import { parseCondition } from './parse-condition';
import type { Name, OrderItem, Query, SelectItem } from './query';
import { TokenReader } from './token-reader';

/** Source: docs/contributing/providers.md, B4. */
const QUERY_LENGTH_MAX = 100_000;

/**
 * Reads `SELECT … FROM … [WHERE …] [ORDER BY …] [LIMIT n] [OFFSET n]`: the part of SOQL that the sandbox knows. Sub-queries,
 * aggregates but COUNT(), GROUP BY, date words such as TODAY and INCLUDES are refused like any other unknown text.
 * @throws SalesforceError MALFORMED_QUERY
 */
export function parseQuery(soql: string): Query {
  if (soql.length > QUERY_LENGTH_MAX) throw malformed(soql.slice(0, 100), 0, 'SOQL statement is too long');
  const reader = new TokenReader(soql);
  reader.expectKeyword('SELECT');
  const select = parseSelect(reader);
  reader.expectKeyword('FROM');
  const from = parseName(reader);
  const where = reader.takeKeywords('WHERE') ? parseCondition(reader) : undefined;
  const orderBy = reader.takeKeywords('ORDER', 'BY') ? parseOrder(reader) : [];
  const limit = reader.takeKeywords('LIMIT') ? parseWhole(reader) : undefined;
  const offset = reader.takeKeywords('OFFSET') ? parseWhole(reader) : 0;
  if (reader.peek().kind !== 'end') throw reader.unexpected();
  return { select, from, where, orderBy, limit, offset };
}

function parseSelect(reader: TokenReader): Query['select'] {
  if (reader.takeKeywords('COUNT')) {
    reader.expectSymbol('(');
    reader.expectSymbol(')');
    return 'count';
  }
  const items = [parseItem(reader)];
  while (reader.takeSymbol(',')) items.push(parseItem(reader));
  return items;
}

function parseItem(reader: TokenReader): SelectItem {
  const name = parseName(reader);
  if (name.text.toUpperCase() !== 'FIELDS' || !reader.takeSymbol('(')) return { kind: 'field', name };
  const group = (['ALL', 'STANDARD', 'CUSTOM'] as const).find((word) => reader.takeKeywords(word));
  if (!group) throw reader.unexpected();
  reader.expectSymbol(')');
  return { kind: 'group', group, name };
}

function parseOrder(reader: TokenReader): OrderItem[] {
  const items: OrderItem[] = [];
  do {
    const name = parseName(reader);
    const descending = reader.takeKeywords('DESC');
    if (!descending) reader.takeKeywords('ASC');
    const nullsLast = reader.takeKeywords('NULLS', 'LAST');
    if (!nullsLast) reader.takeKeywords('NULLS', 'FIRST');
    items.push({ name, descending, nullsFirst: !nullsLast });
  } while (reader.takeSymbol(','));
  return items;
}

const reserved = new Set([
  'SELECT',
  'FROM',
  'WHERE',
  'ORDER',
  'LIMIT',
  'AND',
  'OR',
  'NOT',
  'LIKE',
  'IN',
  'NULL',
  'TRUE',
  'FALSE',
]);

function parseName(reader: TokenReader): Name {
  const { kind, text, at } = reader.peek();
  if (kind !== 'word' || reserved.has(text.toUpperCase())) throw reader.unexpected();
  reader.take();
  return { text, at };
}

function parseWhole(reader: TokenReader): number {
  const { kind, text } = reader.peek();
  if (kind !== 'number' || !/^\d+$/.test(text)) throw reader.unexpected();
  reader.take();
  return Number(text);
}
