import type { Condition, Literal, Operator } from './query';
import { readStringLiteral } from './string-literal';
import type { TokenReader } from './token-reader';

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
