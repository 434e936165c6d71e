import { malformed, TokenReader } from './tokens';

/** A parsed SOQL query, names as they were spelled and positions into the text for messages. */
export interface Query {
  readonly select: readonly SelectItem[] | 'count';
  readonly from: Name;
  readonly where: Condition | undefined;
  readonly orderBy: readonly OrderItem[];
  readonly limit: number | undefined;
  readonly offset: number;
}

/** A name, or a path such as `Account.Name`. */
export interface Name {
  readonly text: string;
  /** Offset in the query. */
  readonly at: number;
}

type SelectItem =
  | { readonly kind: 'field'; readonly name: Name }
  | { readonly kind: 'group'; readonly group: 'ALL' | 'STANDARD' | 'CUSTOM'; readonly name: Name };

export interface OrderItem {
  readonly name: Name;
  readonly descending: boolean;
  /** @default true */
  readonly nullsFirst: boolean;
}

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'LIKE' | 'IN' | 'NOT IN';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | {
      readonly kind: 'compare';
      readonly name: Name;
      readonly operator: Operator;
      /** One, or the list of IN. */
      readonly literals: readonly Literal[];
    };

/** A literal by its form. Whether it fits the field is decided when the field is known. */
export type Literal = {
  readonly at: number;
} & (
  | { readonly kind: 'string'; readonly value: string; readonly pattern: RegExp | undefined }
  | { readonly kind: 'number' | 'date' | 'datetime'; readonly value: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
);

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

const reserved = new Set('SELECT FROM WHERE ORDER LIMIT AND OR NOT LIKE IN NULL TRUE FALSE'.split(' '));

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

/**
 * Reads what follows WHERE. AND and OR do not mix on one level: SOQL wants parentheses, as does this.
 * @throws SalesforceError MALFORMED_QUERY
 */
function parseCondition(reader: TokenReader): Condition {
  const first = parsePart(reader);
  for (const kind of ['and', 'or'] as const) {
    const word = kind.toUpperCase();
    if (!reader.isKeyword(word)) continue;
    const parts = [first];
    while (reader.takeKeywords(word)) parts.push(parsePart(reader));
    return { kind, parts };
  }
  return first;
}

function parsePart(reader: TokenReader): Condition {
  if (reader.takeKeywords('NOT')) return { kind: 'not', part: parsePart(reader) };
  if (!reader.takeSymbol('(')) return parseComparison(reader);
  const inside = parseCondition(reader);
  reader.expectSymbol(')');
  return inside;
}

function parseComparison(reader: TokenReader): Condition {
  const name = reader.peek();
  if (name.kind !== 'word') throw reader.unexpected();
  reader.take();
  const operator = parseOperator(reader);
  const isList = operator === 'IN' || operator === 'NOT IN';
  const literals = isList ? parseList(reader) : [parseLiteral(reader, operator === 'LIKE')];
  return { kind: 'compare', name, operator, literals };
}

function parseOperator(reader: TokenReader): Operator {
  if (reader.takeKeywords('LIKE')) return 'LIKE';
  if (reader.takeKeywords('IN')) return 'IN';
  if (reader.takeKeywords('NOT', 'IN')) return 'NOT IN';
  const { kind, text } = reader.peek();
  if (kind !== 'symbol' || !/^([=<>]|[!<>]=|<>)$/.test(text)) throw reader.unexpected();
  reader.take();
  return text === '<>' ? '!=' : (text as Operator);
}

function parseList(reader: TokenReader): Literal[] {
  reader.expectSymbol('(');
  const literals = [parseLiteral(reader, false)];
  while (reader.takeSymbol(',')) literals.push(parseLiteral(reader, false));
  reader.expectSymbol(')');
  return literals;
}

/** A bare word other than true, false and null is no literal: that is what an unquoted string looks like. */
function parseLiteral(reader: TokenReader, isLike: boolean): Literal {
  const token = reader.peek();
  const { kind, text, at } = token;
  if (kind === 'string') {
    reader.take();
    return { kind, at, ...readStringLiteral(reader.soql, token, isLike) };
  }
  if (kind === 'number' || kind === 'date' || kind === 'datetime') {
    reader.take();
    return { kind, value: text, at };
  }
  if (reader.takeKeywords('TRUE')) return { kind: 'boolean', value: true, at };
  if (reader.takeKeywords('FALSE')) return { kind: 'boolean', value: false, at };
  if (reader.takeKeywords('NULL')) return { kind: 'null', at };
  throw reader.unexpected();
}

const letters: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  N: '\n',
  R: '\r',
  T: '\t',
  B: '\b',
  F: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

/** One character of a literal. A wildcard is a `%` or `_` of a LIKE that was not escaped. */
interface Piece {
  readonly text: string;
  readonly isWildcard: boolean;
}

/**
 * Reads the inside of a string literal. Legal after a backslash: `n r t b f " ' \`, `uXXXX`, and `_ %` in a LIKE.
 * @throws SalesforceError MALFORMED_QUERY for any other escape
 */
function readStringLiteral(
  soql: string,
  { text, at }: { readonly text: string; readonly at: number },
  isLike: boolean,
): { readonly value: string; readonly pattern: RegExp | undefined } {
  const pieces: Piece[] = [];
  let index = 0;
  while (index < text.length) {
    const escape = text[index] === '\\' ? readEscape(text, index, isLike) : undefined;
    if (text[index] === '\\' && !escape) {
      throw malformed(
        soql,
        at + 1 + index,
        `Illegal character sequence '${text.slice(index, index + 2)}' in string literal`,
      );
    }
    const plain = text.charAt(index);
    pieces.push(escape ?? { text: plain, isWildcard: isLike && (plain === '%' || plain === '_') });
    index += escape?.length ?? 1;
  }
  const value = pieces.map((piece) => piece.text).join('');
  return { value, pattern: isLike ? likePattern(pieces) : undefined };
}

function readEscape(text: string, index: number, isLike: boolean): (Piece & { readonly length: number }) | undefined {
  const letter = text.charAt(index + 1);
  const known = letters[letter] ?? (isLike && (letter === '_' || letter === '%') ? letter : undefined);
  if (known !== undefined) return { text: known, isWildcard: false, length: 2 };
  const code = /^u([0-9A-Fa-f]{4})/.exec(text.slice(index + 1))?.[1];
  return code === undefined
    ? undefined
    : { text: String.fromCharCode(Number.parseInt(code, 16)), isWildcard: false, length: 6 };
}

function likePattern(pieces: readonly Piece[]): RegExp {
  const source = pieces.map(({ text, isWildcard }) => {
    if (!isWildcard) return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
    return text === '%' ? '[^]*' : '[^]';
  });
  return new RegExp(`^${source.join('')}$`, 'i');
}
