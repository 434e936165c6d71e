import { readYaml, type YamlPlace } from '@sluice/config';
import type { Issue } from '@sluice/errors';
import { invalid } from '@sluice/http';
import { limits } from '@sluice/types';

/** Member of the request that the text came with, or that names it. */
export type ManifestSource = 'sourceYaml' | 'sourceZipUrl';

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

/**
 * Reads YAML 1.2 or JSON, which is a part of it.
 * @throws ValidationError, 400, with an issue per error of the text, each with its place
 */
export function readManifestText(text: string, source: ManifestSource): ManifestText {
  const read = readYaml(text);
  if (!read.ok) {
    const problems = read.problems.slice(0, limits.issuesMax);
    throw invalid(
      problems.map(({ reason, place }) =>
        unreadable(source, place === undefined ? reason : `${reason} ${shown(place)}`),
      ),
    );
  }
  const { json, placeOf } = read.text;
  return { json, placeOf: (path) => shown(placeOf(stepsOf(path))) };
}

function shown({ line, column }: YamlPlace): string {
  return `(line ${line}, column ${column})`;
}

function unreadable(source: ManifestSource, reason: string): Issue {
  return { in: 'body', name: source, detail: `is not readable as YAML or JSON: ${reason}` };
}

/** `a[0]["b c"].d` as its steps. */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([\w$-]+)/g)].map(([, index, quoted, plain]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (plain ?? '') : (JSON.parse(quoted) as string);
  });
}
