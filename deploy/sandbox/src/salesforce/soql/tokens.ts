import { malformed } from './query-error';

/** A piece of a query. `text` of a string is what stands between its quotes, escapes unread. */
export interface Token {
  readonly kind: 'word' | 'string' | 'number' | 'date' | 'datetime' | 'symbol' | 'end';
  readonly text: string;
  readonly at: number;
}

/** The longest form first: a moment begins with a date, a date with a number. */
const shapes: readonly (readonly [Token['kind'], RegExp])[] = [
  ['datetime', /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})/y],
  ['date', /\d{4}-\d{2}-\d{2}/y],
  ['number', /[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?/y],
  ['word', /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*/y],
  ['symbol', /!=|<>|<=|>=|[=<>(),]/y],
];

/** Splits a query; the last token is the end. @throws SalesforceError MALFORMED_QUERY for what is no token */
export function tokenise(soql: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skipSpace(soql, 0);
  while (at < soql.length) {
    const token = soql[at] === "'" ? readString(soql, at) : readShape(soql, at);
    const length = token.kind === 'string' ? token.text.length + 2 : token.text.length;
    requireGap(soql, token, at + length);
    tokens.push(token);
    at = skipSpace(soql, at + length);
  }
  return [...tokens, { kind: 'end', text: '<EOF>', at: soql.length }];
}

function readShape(soql: string, at: number): Token {
  for (const [kind, shape] of shapes) {
    shape.lastIndex = at;
    const text = shape.exec(soql)?.[0];
    if (text !== undefined) return { kind, text, at };
  }
  throw malformed(soql, at, `unexpected char: '${soql.charAt(at)}'`);
}

function readString(soql: string, at: number): Token {
  let end = at + 1;
  while (end < soql.length && soql[end] !== "'") {
    if (soql[end] === '\n' || soql[end] === '\r')
      throw malformed(soql, end, 'line breaks not allowed in string literals');
    end += soql[end] === '\\' ? 2 : 1;
  }
  if (end >= soql.length) throw malformed(soql, at, "expecting a single quote, found '<EOF>'");
  return { kind: 'string', text: soql.slice(at + 1, end), at };
}

/** `12abc` and `2026-01-01x` are no two tokens. */
function requireGap(soql: string, { kind, text }: Token, end: number): void {
  const isLiteral = kind === 'number' || kind === 'date' || kind === 'datetime';
  if (isLiteral && /[A-Za-z0-9_']/.test(soql.charAt(end))) {
    throw malformed(soql, end, `unexpected token: '${text}${soql.charAt(end)}'`);
  }
}

function skipSpace(soql: string, from: number): number {
  const space = /\s*/y;
  space.lastIndex = from;
  space.exec(soql);
  return space.lastIndex;
}
