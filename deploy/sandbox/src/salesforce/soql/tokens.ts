import { malformedQuery } from '../errors';

/** Walks through the tokens of one query. Keywords match in any case. */
export class TokenReader {
  private readonly tokens: readonly Token[];
  private next = 0;

  constructor(soql: string) {
    this.tokens = tokenise(soql);
  }

  peek(): Token {
    return this.tokens[this.next] ?? end;
  }

  take(): void {
    this.next += 1;
  }

  /** Takes the word if it comes next. */
  takeKeyword(word: string): boolean {
    const { kind, text } = this.peek();
    const isNext = kind === 'word' && text.toUpperCase() === word;
    if (isNext) this.take();
    return isNext;
  }

  takeSymbol(symbol: string): boolean {
    const { kind, text } = this.peek();
    const isNext = kind === 'symbol' && text === symbol;
    if (isNext) this.take();
    return isNext;
  }

  expectKeyword(word: string): void {
    if (!this.takeKeyword(word)) throw this.unexpected();
  }

  expectSymbol(symbol: string): void {
    if (!this.takeSymbol(symbol)) throw this.unexpected();
  }

  unexpected() {
    return malformedQuery(`unexpected token: '${this.peek().text}'`);
  }
}

/** A piece of a query. `text` of a string is what is between its quotes, escapes not resolved. */
interface Token {
  readonly kind: 'word' | 'string' | 'number' | 'date' | 'datetime' | 'symbol' | 'end';
  readonly text: string;
}

const end: Token = { kind: 'end', text: '<EOF>' };

/** The longest form first: a moment begins with a date, a date with a number. */
const shapes: readonly (readonly [Token['kind'], RegExp])[] = [
  ['datetime', /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})/y],
  ['date', /\d{4}-\d{2}-\d{2}/y],
  ['number', /[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?/y],
  ['word', /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*/y],
  ['symbol', />=|[=>(),]/y],
];

/** Splits a query. @throws SalesforceError MALFORMED_QUERY for what is not a token */
function tokenise(soql: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skipSpace(soql, 0);
  while (at < soql.length) {
    const token = soql[at] === "'" ? readString(soql, at) : readShape(soql, at);
    at += token.kind === 'string' ? token.text.length + 2 : token.text.length;
    requireGap(token, soql.charAt(at));
    tokens.push(token);
    at = skipSpace(soql, at);
  }
  return tokens;
}

function readShape(soql: string, at: number): Token {
  for (const [kind, shape] of shapes) {
    shape.lastIndex = at;
    const text = shape.exec(soql)?.[0];
    if (text !== undefined) return { kind, text };
  }
  throw malformedQuery(`unexpected char: '${soql.charAt(at)}'`);
}

function readString(soql: string, at: number): Token {
  let last = at + 1;
  while (last < soql.length && soql[last] !== "'") {
    if (soql[last] === '\n' || soql[last] === '\r') throw malformedQuery('line breaks not allowed in string literals');
    last += soql[last] === '\\' ? 2 : 1;
  }
  if (last >= soql.length) throw malformedQuery("expecting a single quote, found '<EOF>'");
  return { kind: 'string', text: soql.slice(at + 1, last) };
}

/** `12abc` and `2026-01-01x` are not two tokens each. */
function requireGap({ kind, text }: Token, next: string): void {
  const isLiteral = kind === 'number' || kind === 'date' || kind === 'datetime';
  if (isLiteral && /[A-Za-z0-9_']/.test(next)) throw malformedQuery(`unexpected token: '${text}${next}'`);
}

function skipSpace(soql: string, from: number): number {
  const space = /\s*/y;
  space.lastIndex = from;
  space.exec(soql);
  return space.lastIndex;
}
