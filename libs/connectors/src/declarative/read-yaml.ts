import { CST, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument, Parser, type Document } from 'yaml';

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
  const json = toJson(document);
  if ('reason' in json) return { ok: false, problems: [json] };
  return { ok: true, text: { ...json, positionOf: (steps) => positionAt(offsetOf(document, steps)) } };
}

function toJson(document: Document): { readonly json: string } | { readonly reason: string } {
  const length = jsonLength(document);
  if (length === undefined)
    return { reason: 'its anchors lead nowhere or contain themselves, or a name of it has parts' };
  if (length > jsonCharactersMax) return { reason: `its anchors make more than ${jsonCharactersMax} characters of it` };
  // The length is the bound; the parser's own counts aliases of aliases.
  return { json: JSON.stringify(document.toJS({ maxAliasCount: -1 })) ?? 'null' };
}

/**
 * Characters of the document as JSON with its anchors written out, or a few more. Nothing is written out to count them: what an anchor
 * stands for is measured once, however often it is repeated.
 * @returns undefined when an anchor contains itself, is not there, or is a name with members of its own
 */
function jsonLength(document: Document): number | undefined {
  const known = new Map<unknown, number>();
  const open = new Set<unknown>();
  const lengthOf = (node: unknown): number => {
    const of = isAlias(node) ? node.resolve(document) : node;
    const before = known.get(of);
    if (before !== undefined) return before;
    if (open.has(of) || (of === undefined && isAlias(node))) return Number.NaN;
    open.add(of);
    const length = measure(of);
    open.delete(of);
    known.set(of, length);
    return length;
  };
  const measure = (node: unknown): number => {
    // Both brackets, and a comma between two.
    const around = (isSeq(node) || isMap(node)) && node.items.length > 0 ? 1 : 2;
    if (isSeq(node)) return node.items.reduce<number>((sum, item) => sum + lengthOf(item) + 1, around);
    if (isMap(node))
      return node.items.reduce((sum, { key, value }) => sum + nameLength(key) + lengthOf(value) + 2, around);
    return textLength(isScalar(node) ? node.value : null);
  };
  const nameLength = (key: unknown): number => {
    const name = isAlias(key) ? key.resolve(document) : key;
    if (name === null) return textLength('');
    return isScalar(name) ? textLength(`${(name.value ?? '') as string | number | boolean}`) : Number.NaN;
  };
  const length = lengthOf(document.contents);
  return Number.isNaN(length) ? undefined : length;
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
 * built: building one walks its levels by recursion (a few kilobytes of brackets can end the process), compares each name of a mapping with every
 * other, and looks for the anchor of each alias from the top. Reading lexemes does none of this.
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
