import { CST, Lexer, Parser } from 'yaml';

/*
 * Bounds that hold before a document is built. Building one walks its levels by recursion (a few kilobytes of brackets can end
 * the process), compares each name of a mapping with every other, and looks for the anchor of each alias from the top.
 * Reading lexemes does none of this.
 */

/** Levels. Ours: the JSON reader's 32, two tokens each. */
const depthMax = 64;
/** Ours: some 6,000 fields of a manifest. */
const lexemesMax = 50_000;
/** Names of one mapping. Ours: no mapping of a manifest has more than 20. */
const namesMax = 100;
/** How often anchors may be repeated. Ours: a hand-written file has a few; a "billion laughs" has thousands. */
const aliasesMax = 100;

/** Why a text is not to be read as YAML, with the offset where that shows; undefined when it may be. */
export function yamlExcess(text: string): { readonly reason: string; readonly offset: number } | undefined {
  const parser = new Parser();
  let [lexemes, aliases, offset, before] = [0, 0, 0, ''];
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    lexemes += 1;
    if (lexeme.startsWith('*') && before !== CST.SCALAR) aliases += 1;
    if (parser.stack.length > depthMax) return { reason: 'it nests too deep', offset };
    if (lexemes > lexemesMax) return { reason: `it has more than ${lexemesMax} words and signs`, offset };
    if (aliases > aliasesMax) return { reason: `it repeats its anchors more than ${aliasesMax} times`, offset };
    if (namesOf(parser) > namesMax) return { reason: `a mapping has more than ${namesMax} names`, offset };
    before = lexeme;
    // Marks of the lexer stand for no character of the text.
    if (!marks.has(lexeme)) offset += lexeme.length;
  }
  return undefined;
}

const marks: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** Names of the innermost mapping that is open. */
function namesOf({ stack }: Parser): number {
  for (const token of [stack.at(-1), stack.at(-2)]) {
    if (token?.type === 'block-map') return token.items.length;
    if (token?.type === 'flow-collection' && token.start.type === 'flow-map-start') return token.items.length;
  }
  return 0;
}
