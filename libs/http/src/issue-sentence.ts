import { memberName, nameText, pathOf } from '@sluice/types';
import type { ErrorObject } from 'ajv';

type Params = Readonly<Record<string, unknown>>;

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const formats: Record<string, string> = { 'date-time': 'a date-time with offset, such as 2026-01-31T09:30:00Z' };

/** Patterns that say something simple. */
const patterns: Record<string, string> = {
  [nameText.pattern]: 'must not be empty or hold a NUL character',
  [memberName.pattern]: 'must not be empty, hold a NUL character, or be __proto__, constructor or prototype',
};

/** Keyword of JSON Schema -> its rule, as the end of a sentence that starts with the field's name. */
const sentences: Record<string, (p: Params) => string> = {
  type: (p) => `must be ${kindOf(p['type'])}`,
  enum: (p) => `must be one of ${quoted(p['allowedValues'])}`,
  exclusiveMinimum: (p) => `must be more than ${limit(p)}`,
  minimum: (p) => `must be at least ${limit(p)}`,
  maximum: (p) => `must be at most ${limit(p)}`,
  minLength: (p) => (p['limit'] === 1 ? 'must not be empty' : `must have at least ${count(p, 'character')}`),
  maxLength: (p) => `must have at most ${count(p, 'character')}`,
  minItems: (p) => (p['limit'] === 1 ? 'must not be empty' : `must have at least ${count(p, 'item')}`),
  maxItems: (p) => `must have at most ${count(p, 'item')}`,
  minProperties: (p) => (p['limit'] === 1 ? 'must not be empty' : `must have at least ${count(p, 'field')}`),
  maxProperties: (p) => `must have at most ${count(p, 'field')}`,
  uniqueItems: (p) => `must not have the same item twice (indexes ${text(p['j'])} and ${text(p['i'])})`,
  pattern: (p) => patterns[text(p['pattern'])] ?? `must match the pattern ${text(p['pattern'])}`,
  format: (p) => `must be ${formats[text(p['format'])] ?? `of the format ${text(p['format'])}`}`,
  required: () => 'is required',
};

/** A broken rule as the end of a sentence: `must be one of "create", "update"`. Never quotes what was sent. */
export function issueSentence(error: ErrorObject): string {
  return exactlyOne(error) ?? sentences[error.keyword]?.(error.params as Params) ?? error.message ?? 'breaks a rule';
}

/** An object that takes exactly one of a few members: the rule names them, and which of them were sent together. */
function exactlyOne({ keyword, parentSchema, data }: ErrorObject): string | undefined {
  if (keyword !== 'maxProperties' && keyword !== 'minProperties') return undefined;
  const schema = (parentSchema ?? {}) as { minProperties?: number; maxProperties?: number; properties?: object };
  const names = Object.keys(schema.properties ?? {});
  if (schema.minProperties !== 1 || schema.maxProperties !== 1 || names.length < 2) return undefined;
  const rule = `takes exactly one of ${alternatives(names)}`;
  const sent = names.filter((name) => typeof data === 'object' && data !== null && Object.hasOwn(data, name));
  if (sent.length === 0) return rule;
  return `${rule}; it has ${sent.join(' and ')}`;
}

/** `a string or a number` */
function kindOf(type: unknown): string {
  return alternatives((Array.isArray(type) ? type : [type]).map((one) => kinds[text(one)] ?? text(one)));
}

/** `a, b or c` */
function alternatives(parts: readonly string[]): string {
  const unique = [...new Set(parts)];
  return unique.length < 2 ? unique.join('') : `${unique.slice(0, -1).join(', ')} or ${unique.at(-1)}`;
}

function quoted(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : '';
}

function limit(p: Params): string {
  return text(p['limit']);
}

function count(p: Params, noun: string): string {
  return `${limit(p)} ${noun}${p['limit'] === 1 ? '' : 's'}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Longest path that is shown. */
const lengthMax = 300;

/**
 * A path as callers read it: `batch[3].record.id`, `record["first name"]`; `body` for the whole.
 * Numbers are indexes of a list, texts are names of members.
 */
export function fieldPath(steps: readonly (string | number)[], root = 'body'): string {
  if (steps.length === 0) return root;
  const path = steps.reduce<string>(pathOf, '');
  return path.length > lengthMax ? `${path.slice(0, lengthMax)}…` : path;
}
