import { malformed } from './query-error';

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
export function readStringLiteral(
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
