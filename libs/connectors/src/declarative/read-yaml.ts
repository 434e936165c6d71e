import {
  CST,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  Parser,
  visit,
  type Document,
} from 'yaml';

/** A place in a text; both from 1. */
export interface YamlPosition {
  readonly line: number;
  readonly column: number;
}

/** Why a text cannot be read. */
interface YamlProblem {
  readonly reason: string;
  /** Absent: the text as a whole. */
  readonly position?: YamlPosition;
}

/** Members and indexes of lists that lead to a value: `['create', 'path']`. */
export type Steps = readonly (string | number)[];

/** A text that was read. */
interface YamlText {
  /** Values pass through JSON, so what YAML has besides (dates, tags, binary, anchors used as types) does not get in. */
  readonly json: string;
  /** Of the member that the steps lead to, or of what lacks it. */
  readonly positionOf: (steps: Steps) => YamlPosition;
}

/** What the text may grow to when its anchors are written out, in characters. Our choice: the limit of a JSON body. */
const jsonCharactersMax = 1_000_000;
/** Characters of a message. Our choice: the parser repeats what it read. */
const messageMax = 200;

/** Reads YAML 1.2 or JSON, which is a part of it. Never throws for a text. */
export function readYaml(
  text: string,
): { readonly ok: true; readonly text: YamlText } | { readonly ok: false; readonly problems: readonly YamlProblem[] } {
  const lines = new LineCounter();
  const positionAt = (offset: number): YamlPosition => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
  };
  const excess = excessOf(text, lines);
  if (excess !== undefined)
    return { ok: false, problems: [{ reason: excess.reason, position: positionAt(excess.offset) }] };
  // Not 'silent': that would also keep silent of a second document behind the first.
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'error', prettyErrors: false });
  // What the parser only warns of, an unknown tag or directive, would be taken for something else.
  const problems = [...document.errors, ...document.warnings].map(({ code, message, pos: [offset] }) => ({
    reason: code === 'DUPLICATE_KEY' ? 'a name occurs twice in the same mapping' : shortMessage(message),
    position: positionAt(offset),
  }));
  if (problems.length > 0) return { ok: false, problems };
  const broken = illFormedIn(document);
  if (broken !== undefined) return { ok: false, problems: [{ reason: illFormed, position: positionAt(broken) }] };
  const json = toJson(document);
  if ('reason' in json) return { ok: false, problems: [json] };
  return { ok: true, text: { ...json, positionOf: (steps) => positionAt(offsetOf(document, steps)) } };
}

const illFormed = 'a text or a name is not valid Unicode (a lone surrogate)';

/** Where a text has half of a pair, as an escape can write it: UTF-8 does not have it, and it would be stored as another text. */
function illFormedIn(document: Document): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Scalar: (_key, { value, range }) => {
      if (typeof value !== 'string' || value.isWellFormed()) return undefined;
      offset = range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

function toJson(document: Document): { readonly json: string } | { readonly reason: string } {
  const size = sizeOf(document.contents);
  if (Number.isNaN(size.characters))
    return { reason: 'its anchors lead nowhere or contain themselves, or a name of it has parts' };
  if (size.levels > depthMax) return { reason: 'its anchors nest too deep' };
  if (size.characters > jsonCharactersMax)
    return { reason: `its anchors make more than ${jsonCharactersMax} characters of it` };
  // The size is the bound; the parser's own counts aliases of aliases.
  return { json: JSON.stringify(document.toJS({ maxAliasCount: -1 })) ?? 'null' };
}

interface Size {
  /** As JSON, or a few more. Not a number where an anchor contains itself or is not there, or a name has members of its own. */
  readonly characters: number;
  /** Lists and objects, one within another. */
  readonly levels: number;
}

/**
 * What a document becomes with its anchors written out. Nothing is written out to measure it: what an anchor stands for is measured once, however
 * often it is repeated.
 */
function sizeOf(contents: unknown): Size {
  /** What each anchor stands for; undefined while that is being measured. */
  const anchors = new Map<string, Size | undefined>();
  const measure = (node: unknown): Size => {
    if (isAlias(node)) return anchors.get(node.source) ?? { characters: Number.NaN, levels: 0 };
    const { anchor } = (node ?? {}) as { readonly anchor?: string };
    if (anchor !== undefined) anchors.set(anchor, undefined);
    const size = measureParts(node);
    if (anchor !== undefined) anchors.set(anchor, size);
    return size;
  };
  const measureParts = (node: unknown): Size => {
    if (!isSeq(node) && !isMap(node)) return { characters: textLength(isScalar(node) ? node.value : null), levels: 0 };
    // Both brackets, and a comma between two.
    let [characters, levels] = [node.items.length > 0 ? 1 : 2, 0];
    for (const item of node.items) {
      if (isPair(item)) characters += nameLength(item.key) + 1;
      const part = measure(isPair(item) ? item.value : item);
      characters += part.characters + 1;
      levels = Math.max(levels, part.levels);
    }
    return { characters, levels: levels + 1 };
  };
  const nameLength = (key: unknown): number => {
    const { characters, levels } = measure(key);
    if (levels > 0) return Number.NaN;
    // What is no text becomes one.
    return characters + (isScalar(key) && typeof key.value === 'string' ? 0 : 2);
  };
  return measure(contents);
}

/** A scalar as JSON; what JSON does not have becomes null. */
function textLength(value: unknown): number {
  return JSON.stringify(value)?.length ?? 4;
}

function shortMessage(message: string): string {
  return (message.split('\n', 1)[0] ?? '').slice(0, messageMax).replace(/[:.]$/, '');
}

/** Walks as far as the document goes along the path. */
function offsetOf(document: Document, steps: Steps): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of steps) {
    const holder = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(holder)
      ? holder.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : undefined;
    node = pair?.value ?? (isSeq(holder) && typeof step === 'number' ? holder.items[step] : undefined);
    offset = startOf(pair?.key ?? node) ?? offset;
    if (node === undefined) break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] } | null)?.range?.[0];
}

/** Levels. Our choice: the JSON reader's 32, two tokens each. */
const depthMax = 64;
/** Our choice: some 6,000 fields of a manifest. */
const lexemesMax = 50_000;
/** Names of one mapping. Our choice: no mapping of a manifest has more than 20. */
const namesMax = 100;
/** How often anchors may be repeated. Our choice: a hand-written file has a few; a "billion laughs" has thousands. */
const aliasesMax = 100;

/**
 * Why a text is not to be read as YAML, with the offset where that shows; undefined when it may be. Every bound is checked here, before a document is
 * built, because building one is expensive. It recurses into levels, so a few kilobytes of brackets can end the process. It compares each name of a
 * mapping with every other, and searches the anchor of each alias from the top. Reading lexemes does none of this.
 * @param lines is given the lines of the text as far as it was read
 */
function excessOf(text: string, lines: LineCounter): { readonly reason: string; readonly offset: number } | undefined {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  let [lexemes, aliases, before] = [0, 0, ''];
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    Array.from(parser.next(lexeme));
    lexemes += 1;
    if (lexeme.startsWith('*') && before !== CST.SCALAR) aliases += 1;
    if (parser.stack.length > depthMax) return { reason: 'it nests too deep', offset };
    if (lexemes > lexemesMax) return { reason: `it has more than ${lexemesMax} words and signs`, offset };
    if (aliases > aliasesMax) return { reason: `it repeats its anchors more than ${aliasesMax} times`, offset };
    if (namesOf(parser) > namesMax) return { reason: `a mapping has more than ${namesMax} names`, offset };
    before = lexeme;
  }
  return undefined;
}

/** Names of the innermost mapping that is open. */
function namesOf({ stack }: Parser): number {
  for (const token of [stack.at(-1), stack.at(-2)]) {
    if (token?.type === 'block-map') return token.items.length;
    if (token?.type === 'flow-collection' && token.start.type === 'flow-map-start') return token.items.length;
  }
  return 0;
}
