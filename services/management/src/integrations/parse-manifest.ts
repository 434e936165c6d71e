import { readYaml, type YamlPlace } from '@sluice/connectors';
import { ValidationError, type Issue } from '@sluice/errors';
import { parseJson, validate, invalid } from '@sluice/http';
import {
  checkManifest,
  checkManifestIntegration,
  limits,
  manifestIntegrationSchema,
  manifestSchema,
  pathOf,
  type Manifest,
  type ManifestIntegration,
} from '@sluice/types';
import { refuseIssues } from '../refuse-issues';

const checkSchema = validate<Manifest>(manifestSchema);
const checkEntry = validate<ManifestIntegration>(manifestIntegrationSchema);

/** A manifest that keeps every rule. */
export interface ParsedManifest extends Pick<ManifestText, 'placeOf'> {
  readonly manifest: Manifest;
}

/**
 * Reads the text of a manifest, YAML or JSON, under the limits of the JSON reader.
 * @throws ValidationError, 400: all problems at once, each with its path inside the manifest and its line and column
 */
export function parseManifest(text: string, source: ManifestSource): ParsedManifest {
  const { json, placeOf } = readManifestText(text, source);
  try {
    return { manifest: checkAll(parseJson(json)), placeOf };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw placed(error, placeOf);
  }
}

/** What the schema says and what the rules say, as far as the form allows to ask them. */
function checkAll(value: unknown): Manifest {
  let manifest: Manifest;
  try {
    manifest = checkSchema(value);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw withIssues(error, [...error.issues, ...rulesOfEntries(value)]);
  }
  refuseIssues(checkManifest(manifest).slice(0, limits.issuesMax));
  return manifest;
}

/** The rules of the entries whose own form is right. */
function rulesOfEntries(value: unknown): Issue[] {
  const list = (value as { integrations?: unknown } | null)?.integrations;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown, index) => {
    try {
      return checkManifestIntegration(checkEntry(entry), pathOf('integrations', index));
    } catch (error) {
      if (error instanceof ValidationError) return [];
      throw error;
    }
  });
}

function placed(error: ValidationError, placeOf: ManifestText['placeOf']): ValidationError {
  // Of the text as a whole the reader has said the place itself.
  const issues = error.issues.map((issue) => ({ ...issue, detail: `${issue.detail} ${placeOf(issue.name)}` }));
  return withIssues(error, issues);
}

function withIssues({ code }: ValidationError, all: readonly Issue[]): ValidationError {
  const issues = all.slice(0, limits.issuesMax);
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const detail = first === undefined ? 'The manifest breaks a rule.' : `${first.name} ${first.detail}${more}.`;
  return new ValidationError({ code, detail, issues });
}

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
function readManifestText(text: string, source: ManifestSource): ManifestText {
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
