/**
 * A reader of SOQL that shares nothing with the writer under test, and is as strict as Salesforce: an escape it does not know, a control
 * character in a literal, a word it does not expect are errors. Source: SOQL reference, "Quoted String Escape Sequences", "Date Formats".
 */
export interface ReadQuery {
  readonly fields: readonly string[];
  readonly from: string;
  readonly where: readonly ReadCondition[];
  readonly limit: number;
}

export interface ReadCondition {
  readonly field: string;
  readonly values: readonly ReadLiteral[];
}

export interface ReadLiteral {
  readonly kind: 'text' | 'bare';
  readonly value: string;
}

type Token = { readonly kind: 'word' | 'text' | 'sign'; readonly value: string };

export function readSoql(soql: string): ReadQuery {
  const tokens = tokensOf(soql);
  let at = 0;
  const next = (): Token => {
    const token = tokens[at++];
    if (!token) throw new Error('the query ends too early');
    return token;
  };
  const expect = (value: string): void => {
    const token = next();
    if (token.kind === 'text' || token.value !== value) throw new Error(`${value} expected, not ${token.value}`);
  };
  const peek = (value: string): boolean => tokens[at]?.kind !== 'text' && tokens[at]?.value === value;
  const word = (form: RegExp): string => {
    const token = next();
    if (token.kind !== 'word' || !form.test(token.value)) throw new Error(`unexpected ${token.value}`);
    return token.value;
  };
  const path = /^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/;
  const literal = (): ReadLiteral => {
    const token = next();
    if (token.kind === 'text') return { kind: 'text', value: token.value };
    const isBare = /^(true|false|-?\d+(\.\d+)?|\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{3})?Z)?|\d\d:\d\d:\d\d(\.\d+)?Z)$/;
    if (token.kind !== 'word' || !isBare.test(token.value)) throw new Error(`no literal: ${token.value}`);
    return { kind: 'bare', value: token.value };
  };
  const list = <T>(one: () => T): T[] => {
    const items = [one()];
    while (peek(',')) {
      at++;
      items.push(one());
    }
    return items;
  };
  const condition = (): ReadCondition => {
    const field = word(path);
    if (peek('=')) {
      at++;
      return { field, values: [literal()] };
    }
    for (const sign of ['IN', '(']) expect(sign);
    const values = list(literal);
    expect(')');
    return { field, values };
  };
  expect('SELECT');
  const fields = list(() => word(path));
  expect('FROM');
  const from = word(/^[A-Za-z]\w*$/);
  const where: ReadCondition[] = [];
  if (peek('WHERE')) {
    do {
      at++;
      where.push(condition());
    } while (peek('AND'));
  }
  expect('LIMIT');
  const limit = Number(word(/^\d+$/));
  if (at !== tokens.length) throw new Error(`more follows: ${tokens[at]?.value}`);
  return { fields, from, where, limit };
}

function tokensOf(soql: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < soql.length;) {
    const rest = soql.slice(at);
    const word = /^[\w.:-]+/.exec(rest)?.[0];
    if (rest.startsWith("'")) {
      const { value, length } = readText(rest);
      tokens.push({ kind: 'text', value });
      at += length;
    } else if (word !== undefined) {
      tokens.push({ kind: 'word', value: word });
      at += word.length;
    } else if (/^[=(),]/.test(rest)) {
      tokens.push({ kind: 'sign', value: rest.charAt(0) });
      at += 1;
    } else if (rest.startsWith(' ')) at += 1;
    else throw new Error(`unexpected ${JSON.stringify(rest.charAt(0))} at ${at}`);
  }
  return tokens;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  N: '\n',
  r: '\r',
  R: '\r',
  t: '\t',
  T: '\t',
  b: '\b',
  B: '\b',
  f: '\f',
  F: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

function readText(rest: string): { value: string; length: number } {
  let value = '';
  for (let at = 1; at < rest.length;) {
    const one = rest.charAt(at);
    if (one === "'") return { value, length: at + 1 };
    if (one < ' ' || one === '\u2028' || one === '\u2029') throw new Error('a line or control character in a literal');
    if (one !== '\\') {
      value += one;
      at += 1;
      continue;
    }
    const code = /^u([0-9a-fA-F]{4})/.exec(rest.slice(at + 1))?.[1];
    const meant = code === undefined ? escapes[rest.charAt(at + 1)] : String.fromCharCode(Number.parseInt(code, 16));
    if (meant === undefined) throw new Error(`the escape \\${rest.charAt(at + 1)}`);
    value += meant;
    at += code === undefined ? 2 : 6;
  }
  throw new Error('the literal does not end');
}
