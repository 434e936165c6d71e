import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, CST, Lexer, Parser } from 'yaml';

/** A place in a text; both from 1. */
export interface YamlPosition {
  readonly line: number;
  readonly column: number;
}

/** Why a text cannot be read. */
export interface YamlProblem {
  readonly reason: string;
  /** Absent: the text as a whole. */
  readonly position?: YamlPosition;
}

/** A text that was read. */
export interface YamlText {
  /** Values pass through JSON, so what YAML has besides (dates, tags, binary, anchors used as types) does not get in. */
  readonly json: string;
  /** Of the member that the steps lead to, or of what lacks it. Numbers are places in a list. */
  readonly positionOf: (steps: readonly (string | number)[]) => YamlPosition;
}

/** What the text may grow to when its anchors are written out, in characters. Our choice: the limit of a JSON body. */
const jsonCharactersMax = 1_000_000;

/** Reads YAML 1.2 or JSON, which is a part of it. Never throws for a text. */
export function readYaml(
  text: string,
): { readonly ok: true; readonly text: YamlText } | { readonly ok: false; readonly problems: readonly YamlProblem[] } {
  const excess = yamlExcess(text);
  if (excess !== undefined)
    return { ok: false, problems: [{ reason: excess.reason, position: positionIn(text, excess.offset) }] };
  const lines = new LineCounter();
  const positionAt = (offset: number): YamlPosition => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  // Not 'silent': that would also keep silent of a second document behind the first.
  const options = { version: '1.2', schema: 'core', logLevel: 'error', prettyErrors: false } as const;
  const document = parseDocument(text, { ...options, lineCounter: lines });
  // What the parser only warns of, an unknown tag or directive, would be taken for something else.
  const failures = [...document.errors, ...document.warnings];
  if (failures.length > 0) {
    return {
      ok: false,
      problems: failures.map(({ code, message, pos }) => ({
        reason: shortMessage(code, message),
        position: positionAt(pos[0]),
      })),
    };
  }
  const json = toJson(document);
  if ('reason' in json) return { ok: false, problems: [json] };
  return { ok: true, text: { ...json, positionOf: (steps) => positionAt(offsetOf(document, steps)) } };
}

function positionIn(text: string, offset: number): YamlPosition {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function toJson(document: Document): { readonly json: string } | { readonly reason: string } {
  let json: string;
  try {
    json = JSON.stringify(document.toJS()) ?? 'null';
  } catch (error) {
    // Anchors that stand for too much, or one that contains itself or is not there.
    if (error instanceof ReferenceError || error instanceof TypeError) {
      return { reason: 'its anchors lead nowhere, contain themselves or make too much of it' };
    }
    throw error;
  }
  if (json.length > jsonCharactersMax)
    return { reason: `its anchors make more than ${jsonCharactersMax} characters of it` };
  return { json };
}

/** Characters of a message. Our choice: the parser repeats what it read. */
const messageMax = 200;

/** The messages of the parser, with what was meant where it says little. */
function shortMessage(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'a name occurs twice in the same mapping';
  return (message.split('\n', 1)[0] ?? '').slice(0, messageMax).replace(/[:.]$/, '');
}

/** Walks as far as the document goes along the path. */
function offsetOf(document: Document, steps: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of steps) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number') {
      const item: unknown = node.items[step];
      offset = startOf(item) ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] } | null)?.range?.[0];
}

/*
 * Bounds that hold before a document is built. Building one walks its levels by recursion (a few kilobytes of brackets can end
 * the process), compares each name of a mapping with every other, and looks for the anchor of each alias from the top.
 * Reading lexemes does none of this.
 */

/** Levels. Our choice: the JSON reader's 32, two tokens each. */
const depthMax = 64;
/** Our choice: some 6,000 fields of a manifest. */
const lexemesMax = 50_000;
/** Names of one mapping. Our choice: no mapping of a manifest has more than 20. */
const namesMax = 100;
/** How often anchors may be repeated. Our choice: a hand-written file has a few; a "billion laughs" has thousands. */
const aliasesMax = 100;

/** Why a text is not to be read as YAML, with the offset where that shows; undefined when it may be. */
function yamlExcess(text: string): { readonly reason: string; readonly offset: number } | undefined {
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
