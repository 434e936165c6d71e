import { malformed } from './query-error';
import { tokenise, type Token } from './tokens';

/** Walks through the tokens of one query. Keywords have no case. */
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
