import { SalesforceError } from '../errors';

/** Walks through the tokens of one query. Keywords match in any case. */
export class TokenReader {
  private readonly tokens: readonly Token[];
  private next = 0;

  constructor(readonly soql: string) {
    this.tokens = tokenise(soql);
  }

  peek(): Token {
    const token = this.tokens[this.next] ?? this.tokens.at(-1);
    if (!token) throw malformed(this.soql, 0, "unexpected token: '<EOF>'");
    return token;
  }

  take(): Token {
    const token = this.peek();
    this.next += 1;
    return token;
  }

  isKeyword(word: string): boolean {
    const { kind, text } = this.peek();
    return kind === 'word' && text.toUpperCase() === word;
  }

  isSymbol(symbol: string): boolean {
    const { kind, text } = this.peek();
    return kind === 'symbol' && text === symbol;
  }

  /** Takes the words if they come next, all or none of them. */
  takeKeywords(...words: readonly string[]): boolean {
    const ahead = this.tokens.slice(this.next, this.next + words.length);
    const isNext = words.every(
      (word, index) => ahead[index]?.kind === 'word' && ahead[index].text.toUpperCase() === word,
    );
    if (isNext) this.next += words.length;
    return isNext;
  }

  takeSymbol(symbol: string): boolean {
    const isNext = this.isSymbol(symbol);
    if (isNext) this.next += 1;
    return isNext;
  }

  expectKeyword(word: string): void {
    if (!this.takeKeywords(word)) throw this.unexpected();
  }

  expectSymbol(symbol: string): void {
    if (!this.takeSymbol(symbol)) throw this.unexpected();
  }

  unexpected() {
    const { text, at } = this.peek();
    return malformed(this.soql, at, `unexpected token: '${text}'`);
  }
}

/** A piece of a query. `text` of a string is what is between its quotes, escapes not resolved. */
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

/** Splits a query; the last token is the end. @throws SalesforceError MALFORMED_QUERY for what is not a token */
function tokenise(soql: string): readonly Token[] {
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

/** `12abc` and `2026-01-01x` are not two tokens each. */
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

const BEFORE = 20;
const AFTER = 40;

/** A refusal that points at a position of the query, as Salesforce does: excerpt, caret, row and column, reason. */
export function queryError(
  soql: string,
  at: number,
  { code, message }: { code: string; message: string },
): SalesforceError {
  const start = Math.max(0, at - BEFORE);
  const excerpt = soql.slice(start, at + AFTER).replace(/\s/g, ' ');
  const before = soql.slice(0, at).split('\n');
  const position = `ERROR at Row:${before.length}:Column:${(before.at(-1)?.length ?? 0) + 1}`;
  const text = `\n${excerpt}\n${' '.repeat(at - start)}^\n${position}\n${message}`;
  return new SalesforceError(400, { code, message: text });
}

/** A text that is not SOQL. */
export const malformed = (soql: string, at: number, message: string): SalesforceError =>
  queryError(soql, at, { code: 'MALFORMED_QUERY', message });
