import { DefectError } from '@sluice/errors';

/** Values of a path's parameters, decoded. */
export type PathParameters = Readonly<Record<string, string>>;

/** What stands at a path that matched. */
export interface RouteMatch<Entry> {
  readonly entry: Entry;
  /** @throws URIError for a broken percent-encoding */
  readonly params: () => PathParameters;
}

export interface RouteTable<Entry> {
  /**
   * @param path in Express 5 syntax, as far as our API needs it: whole segments, of which one may be a parameter, with or
   *   without a text behind it: `/v1/operations/:operationId\\:cancel`; or, at the end, `*rest` for one segment or more, which
   *   is no parameter
   */
  add(path: string, entry: Entry): void;
  /** Each that matches, in the order of their addition, those with `*rest` after all others. Case counts; one slash at the end does not. */
  matches(path: string): readonly RouteMatch<Entry>[];
}

/** `text` is the whole segment, or what follows the parameter `name`. */
interface Segment {
  readonly text: string;
  readonly name?: string;
}

interface Row<Entry> {
  readonly segments: readonly Segment[];
  readonly entry: Entry;
}

/**
 * Paths by their number of segments, which leaves a handful to try of the sixty that management has; a text that differs ends
 * a try. Express tries regular expressions one after the other, and walks each route that fits in steps of a microsecond.
 */
export function createRouteTable<Entry>(): RouteTable<Entry> {
  const bySegments = new Map<number, Row<Entry>[]>();
  const beginnings: Row<Entry>[] = [];
  return {
    add: (path, entry) => {
      const parts = splitPath(path);
      const hasRest = parts.at(-1) === '*rest';
      const segments = (hasRest ? parts.slice(0, -1) : parts).map(toSegment);
      if (hasRest) {
        beginnings.push({ segments, entry });
        return;
      }
      const rows = bySegments.get(segments.length) ?? [];
      bySegments.set(segments.length, rows);
      rows.push({ segments, entry });
    },
    matches: (path) => {
      const sent = splitPath(path);
      const found: RouteMatch<Entry>[] = [];
      for (const { segments, entry } of bySegments.get(sent.length) ?? []) {
        if (fits(segments, sent)) found.push({ entry, params: () => readParameters(segments, sent) });
      }
      for (const { segments, entry } of beginnings) {
        const hasMore = sent.length > segments.length && sent[segments.length] !== '';
        if (hasMore && fits(segments, sent)) found.push({ entry, params: () => readParameters(segments, sent) });
      }
      return found;
    },
  };
}

/** Without the slash at the beginning, and one at the end. */
function splitPath(path: string): string[] {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  return path.slice(1, end).split('/');
}

const parameter = /^:([A-Za-z]+)(|\\:[a-z-]+)$/;
const literal = /^(?:[^:*{}()[\]+?!\\]|\\:)*$/;

function toSegment(text: string): Segment {
  const found = parameter.exec(text);
  if (found) return { name: found[1] ?? '', text: plain(found[2] ?? '') };
  if (literal.test(text)) return { text: plain(text) };
  throw new DefectError({ code: 'service.defect', detail: `a path has the segment ${text}, which no route can have` });
}

const plain = (text: string): string => text.replaceAll('\\', '');

function fits(segments: readonly Segment[], sent: readonly string[]): boolean {
  for (let at = 0; at < segments.length; at += 1) {
    const { text, name } = segments[at] as Segment;
    const value = sent[at] as string;
    if (name === undefined ? value !== text : value.length <= text.length || !value.endsWith(text)) return false;
  }
  return true;
}

function readParameters(segments: readonly Segment[], sent: readonly string[]): PathParameters {
  const params: Record<string, string> = {};
  for (let at = 0; at < segments.length; at += 1) {
    const { text, name } = segments[at] as Segment;
    if (name === undefined) continue;
    const value = sent[at] as string;
    const own = text === '' ? value : value.slice(0, -text.length);
    params[name] = own.includes('%') ? decodeURIComponent(own) : own;
  }
  return params;
}
