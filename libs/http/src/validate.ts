import { Ajv, type Options, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { ValidationError, type Issue, type ProblemCode } from '@sluice/errors';
import { limits, type JsonSchema } from '@sluice/types';
import type { Request } from 'express';
import { toIssues } from './issues';

/** Gives the value back as `T`, or throws ValidationError. */
export type Validate<T> = (value: unknown) => T;

/** A value of more parts than this is checked up to its first fault only: a list of all costs its sender nothing. */
const partsMax = 5_000;

const settings: Options = {
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  discriminator: true,
  verbose: true,
  // Our schemas are held to the draft by tests (schemas.test.ts), not by each process that starts.
  meta: false,
  validateSchema: false,
};

const validators = { first: createAjv(false), all: createAjv(true) };

function createAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({ ...settings, allErrors });
  ajv.addVocabulary(['example']);
  addFormats.default(ajv);
  return ajv;
}

/**
 * A check by a schema (draft 7, no references to other documents). Made once per schema when the service starts, and compiled when the first value
 * comes. An instance serves few of management's routes, and all of them would be a sixth of its start and 8 MB (docker/README.md).
 * @param where part of the request, for the issues. Body values keep their types; everything else arrives as text and becomes a
 * whole number or a boolean where the schema asks for one. @default 'body'
 * @returns a check that throws ValidationError `request.invalid` with up to `limits.issuesMax` issues. Each has a path (`batch[3].record.id`), a
 * sentence, and the value where it is short and no secret.
 */
export function validate<T>(schema: JsonSchema, where: Issue['in'] = 'body'): Validate<T> {
  let check: ValidateFunction | undefined;
  const part = { where, mayNameSecrets: carriesSecrets(schema) };
  let checkAll: ValidateFunction | undefined;
  return (sent) => {
    const value = where === 'body' ? sent : coerceTexts(schema, sent);
    check ??= validators.first.compile(schema);
    if (check(value)) return value as T;
    const isSmall = countParts(value, partsMax) < partsMax;
    if (isSmall) checkAll ??= validators.all.compile(schema);
    const errors = isSmall && checkAll && !checkAll(value) ? checkAll.errors : check.errors;
    throw invalid(toIssues(errors ?? [], value, part));
  };
}

/** The error for issues found by hand, in the form of those found by a schema: it holds the first `limits.issuesMax` of them. */
export function invalid(
  issues: readonly Issue[],
  { code = 'request.invalid', remedy }: { readonly code?: ProblemCode; readonly remedy?: string | undefined } = {},
): ValidationError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const detail = first ? `${first.name} ${first.detail}${more}.` : 'The request breaks a rule.';
  return new ValidationError({
    code,
    detail: detail.replace(/\?\.$/, '?'),
    issues: issues.slice(0, limits.issuesMax),
    remedy,
  });
}

/** Whether a value of this schema holds secrets, at any depth. */
function carriesSecrets(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return (schema as JsonSchema)['writeOnly'] === true || Object.values(schema).some(carriesSecrets);
}

function countParts(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) {
    if (count >= max) return count;
    count += countParts(inner, max - count);
  }
  return count;
}

/** One spelling per number, that of JSON: `Number()` would also take `0x5`, `1e1` and blanks. */
const wholeNumber = /^(0|-?[1-9]\d*)$/;

/**
 * What arrives as text (query, path) with its whole numbers and booleans turned into those, where the schema asks for them.
 * Any other text stays one, so that the schema refuses it.
 */
function coerceTexts(schema: JsonSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema | undefined>>;
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [
      name,
      coerce(Object.hasOwn(properties, name) ? properties[name] : {}, text),
    ]),
  );
}

function coerce(schema: JsonSchema | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text;
  if (schema?.['type'] === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (schema?.['type'] !== 'integer' || !wholeNumber.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

/**
 * The query as plain texts. A name given twice has no one meaning, so it is refused.
 * @throws ValidationError with an issue per repeated name
 */
export function readQuery(req: Request): Record<string, string> {
  if (!req.url.includes('?')) return {};
  // Express parses anew at each read of `query`.
  const query = Object.entries(req.query);
  const repeated = query.filter(([, value]) => typeof value !== 'string');
  if (repeated.length > 0) {
    throw invalid(repeated.map(([name]) => ({ in: 'query', name, detail: 'is given more than once' })));
  }
  return Object.fromEntries(query) as Record<string, string>;
}
