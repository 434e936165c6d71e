import { ValidationError, type Issue } from '@sluice/errors';
import { parseJson, validate } from '@sluice/http';
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
import { readManifestText, type ManifestSource, type ManifestText } from './manifest-text';
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
