import type { Issue } from '@sluice/errors';
import { invalid } from '@sluice/http';
import { limits } from '@sluice/types';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { yamlExcess } from './scan-yaml';

/** The text of a manifest as JSON, and where each member stands in the text. */
export interface ManifestText {
  /** Values pass through JSON, so what YAML has besides (dates, tags, binary, anchors used as types) does not get in. */
  readonly json: string;
  /**
   * Line and column of a path as issues spell it, both from 1: of the member itself, or of what lacks it.
   * `integrations[0].name` to `(line 3, column 5)`.
   */
  readonly placeOf: (path: string) => string;
}

/** What the text may grow to when its anchors are written out, in characters. Ours: the limit of a JSON body. */
const jsonCharactersMax = 1_000_000;

/**
 * Reads YAML 1.2 or JSON, which is a part of it.
 * @throws ValidationError, 400, with an issue per error of the text, each with its place
 */
export function readManifestText(text: string): ManifestText {
  const lines = new LineCounter();
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `(line ${line}, column ${col})`;
  };
  const document = parse(text, lines);
  // What the parser only warns of, an unknown tag or directive, would be taken for something else.
  const failures = [...document.errors, ...document.warnings].slice(0, limits.issuesMax);
  if (failures.length > 0) {
    throw invalid(failures.map(({ code, message, pos }) => unreadable(`${said(code, message)} ${place(pos[0])}`)));
  }
  return { json: toJson(document), placeOf: (path) => place(offsetOf(document, path)) };
}

function parse(text: string, lineCounter: LineCounter): Document.Parsed {
  const excess = yamlExcess(text);
  if (excess !== undefined) throw tooMuch(`${excess.reason} ${placeIn(text, excess.offset)}`);
  // Not 'silent': that would also keep silent of a second document behind the first.
  return parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'error', prettyErrors: false, lineCounter });
}

function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `(line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
}

function toJson(document: Document): string {
  let json: string;
  try {
    json = JSON.stringify(document.toJS()) ?? 'null';
  } catch (error) {
    // Anchors that stand for too much, or one that contains itself or is not there.
    if (error instanceof ReferenceError || error instanceof TypeError) {
      throw tooMuch('its anchors lead nowhere, contain themselves or make too much of it');
    }
    throw error;
  }
  if (json.length > jsonCharactersMax)
    throw tooMuch(`its anchors make more than ${jsonCharactersMax} characters of it`);
  return json;
}

/** Characters of a message. Ours: the parser repeats what it read. */
const saidMax = 200;

/** The messages of the parser, with what was meant where it says little. */
function said(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'a name stands twice in the same mapping';
  return (message.split('\n', 1)[0] ?? '').slice(0, saidMax).replace(/[:.]$/, '');
}

function unreadable(reason: string): Issue {
  return { in: 'body', name: 'sourceYaml', detail: `is not readable as YAML or JSON: ${reason}` };
}

function tooMuch(reason: string) {
  return invalid([unreadable(reason)]);
}

/** Walks as far as the document goes along the path. */
function offsetOf(document: Document, path: string): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of stepsOf(path)) {
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

/** `a[0]["b c"].d` as its steps. */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([\w$-]+)/g)].map(([, index, quoted, plain]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (plain ?? '') : (JSON.parse(quoted) as string);
  });
}
