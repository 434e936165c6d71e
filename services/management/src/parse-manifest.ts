import type { ValidationError } from '@sluice/errors';
import { invalid, parseJson, validate } from '@sluice/http';
import { checkManifest, manifestSchema, type Manifest } from '@sluice/types';
import { parseDocument } from 'yaml';
import { refuseIssues } from './refuse-issues';

const checkSchema = validate<Manifest>(manifestSchema);

/**
 * Reads the text of a manifest, YAML or JSON. Values pass through JSON, so what YAML has besides (dates, tags,
 * binary, anchors used as types) does not get in, and the limits of the JSON reader hold.
 * @throws ValidationError, 400, whose issues name the path inside the manifest
 */
export function parseManifest(text: string): Manifest {
  const manifest = checkSchema(parseJson(toJsonText(text)));
  refuseIssues(checkManifest(manifest));
  return manifest;
}

/** The document as JSON text, which is how the parser's own types are left behind. */
function toJsonText(text: string): string {
  try {
    const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'silent' });
    const [failure] = document.errors;
    if (failure) throw unreadable(failure.message);
    return JSON.stringify(document.toJS({ maxAliasCount: 100 })) ?? 'null';
  } catch (error) {
    // Too deep, or too many aliases: the parser throws what it is out of.
    if (error instanceof RangeError || error instanceof ReferenceError)
      throw unreadable('it nests or repeats too much');
    throw error;
  }
}

function unreadable(reason: string): ValidationError {
  // The parser's message goes on with a picture of the line; its first line says what and where.
  const sentence = (reason.split('\n', 1)[0] ?? '').replace(/[:.]$/, '');
  return invalid([{ in: 'body', name: 'sourceYaml', detail: `is not readable as YAML or JSON: ${sentence}` }]);
}
