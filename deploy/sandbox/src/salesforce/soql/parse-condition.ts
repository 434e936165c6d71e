import type { Condition, Literal, Operator } from './query';
import type { TokenReader } from './token-reader';
import { malformed } from './query-error';

/**
 * Reads what follows WHERE. AND and OR do not mix on one level: SOQL wants parentheses, as does this.
 * @throws SalesforceError MALFORMED_QUERY
 */
export function parseCondition(reader: TokenReader): Condition {
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
