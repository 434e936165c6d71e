import { malformedQuery } from '../errors';
import { TokenReader } from './tokens';

/** A parsed SOQL query, names as they were spelled: each a name, or a path such as `Account.Name`. */
export interface Query {
  readonly select: readonly string[] | 'all' | 'count';
  readonly from: string;
  /** Joined by AND. */
  readonly where: readonly Comparison[];
  readonly limit: number | undefined;
}

export interface Comparison {
  readonly name: string;
  readonly operator: '=' | '>' | '>=' | 'IN';
  /** One, or the list of IN. */
  readonly literals: readonly Literal[];
}

/** A literal by its form. Whether it fits the field is decided when the field is known. */
export type Literal =
  | { readonly kind: 'string' | 'number' | 'date' | 'datetime'; readonly value: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' };

/** Source: docs/contributing/providers.md, B4. */
const QUERY_LENGTH_MAX = 100_000;

/**
 * Reads `SELECT … FROM … [WHERE … AND …] [LIMIT n]` with FIELDS(ALL) and COUNT(): the part of SOQL that our connector and
 * the tests send. The rest of it is refused like any other unknown text.
 * @throws SalesforceError MALFORMED_QUERY
 */
export function parseQuery(soql: string): Query {
  if (soql.length > QUERY_LENGTH_MAX) throw malformedQuery('SOQL statement is too long');
  const reader = new TokenReader(soql);
  reader.expectKeyword('SELECT');
  const select = parseSelect(reader);
  reader.expectKeyword('FROM');
  const from = parseName(reader);
  const where = reader.takeKeyword('WHERE') ? parseConditions(reader) : [];
  const limit = reader.takeKeyword('LIMIT') ? parseWhole(reader) : undefined;
  if (reader.peek().kind !== 'end') throw reader.unexpected();
  return { select, from, where, limit };
}

function parseSelect(reader: TokenReader): Query['select'] {
  if (reader.takeKeyword('COUNT')) {
    reader.expectSymbol('(');
    reader.expectSymbol(')');
    return 'count';
  }
  if (reader.takeKeyword('FIELDS')) {
    reader.expectSymbol('(');
    reader.expectKeyword('ALL');
    reader.expectSymbol(')');
    return 'all';
  }
  const names = [parseName(reader)];
  while (reader.takeSymbol(',')) names.push(parseName(reader));
  return names;
}

const reserved = new Set('SELECT FROM WHERE ORDER LIMIT AND OR NOT LIKE IN NULL TRUE FALSE'.split(' '));

function parseName(reader: TokenReader): string {
  const { kind, text } = reader.peek();
  if (kind !== 'word' || reserved.has(text.toUpperCase())) throw reader.unexpected();
  reader.take();
  return text;
}

function parseWhole(reader: TokenReader): number {
  const { kind, text } = reader.peek();
  if (kind !== 'number' || !/^\d+$/.test(text)) throw reader.unexpected();
  reader.take();
  return Number(text);
}

function parseConditions(reader: TokenReader): Comparison[] {
  const conditions = [parseComparison(reader)];
  while (reader.takeKeyword('AND')) conditions.push(parseComparison(reader));
  return conditions;
}

function parseComparison(reader: TokenReader): Comparison {
  const name = parseName(reader);
  if (reader.takeKeyword('IN')) return { name, operator: 'IN', literals: parseList(reader) };
  const operator = (['=', '>', '>='] as const).find((symbol) => reader.takeSymbol(symbol));
  if (operator === undefined) throw reader.unexpected();
  return { name, operator, literals: [parseLiteral(reader)] };
}

function parseList(reader: TokenReader): Literal[] {
  reader.expectSymbol('(');
  const literals = [parseLiteral(reader)];
  while (reader.takeSymbol(',')) literals.push(parseLiteral(reader));
  reader.expectSymbol(')');
  return literals;
}

/** A bare word other than true, false and null is no literal: that is what an unquoted string looks like. */
function parseLiteral(reader: TokenReader): Literal {
  const { kind, text } = reader.peek();
  if (kind === 'string' || kind === 'number' || kind === 'date' || kind === 'datetime') {
    reader.take();
    return { kind, value: kind === 'string' ? unescaped(text) : text };
  }
  if (reader.takeKeyword('TRUE')) return { kind: 'boolean', value: true };
  if (reader.takeKeyword('FALSE')) return { kind: 'boolean', value: false };
  if (reader.takeKeyword('NULL')) return { kind: 'null' };
  throw reader.unexpected();
}

const letters: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

/**
 * Reads the inside of a string literal. Legal after a backslash: `n r t b f " ' \` and `uXXXX`.
 * @throws SalesforceError MALFORMED_QUERY for any other escape
 */
function unescaped(text: string): string {
  return text.replace(/\\(u[0-9A-Fa-f]{4}|[^])/g, (sequence, escape: string) => {
    const isCode = escape.length > 1;
    const plain = isCode ? String.fromCharCode(Number.parseInt(escape.slice(1), 16)) : letters[escape.toLowerCase()];
    if (plain !== undefined) return plain;
    throw malformedQuery(`Illegal character sequence '${sequence}' in string literal`);
  });
}
