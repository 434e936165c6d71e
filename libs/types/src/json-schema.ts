/**
 * A JSON Schema as plain data, in the keywords that draft-07 and 2020-12 share. Request schemas refuse unknown members;
 * reply schemas stay open, so that a member may be added. Secrets, and the
 * objects that hold them, are marked `writeOnly`.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Text that is stored as a name or an id: never empty, at most 255 characters, no NUL (Postgres text refuses it). */
export const nameText = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\u0000]+$' } as const;

/**
 * Name of a field or an object, where it is sent as a value. Like names of members it must not reach into a prototype: sooner or
 * later it becomes a key.
 */
export const memberName = { ...nameText, pattern: '^(?!(?:__proto__|constructor|prototype)$)[^\\u0000]+$' } as const;

/**
 * Text that is a secret: never shown, sealed where it is kept, so far longer than a name. No NUL: it ends in a header or a form of a
 * provider call, which carries none.
 */
export const secretText = {
  type: 'string',
  minLength: 1,
  maxLength: 16_384,
  pattern: nameText.pattern,
  writeOnly: true,
} as const;

/** An OAuth scope: as long as the provider likes, no NUL. */
export const scopeText = { type: 'string', minLength: 1, pattern: nameText.pattern } as const;

/** ISO 8601 date-time with offset. Source: specification, introduction. */
const moment = { type: 'string', format: 'date-time' } as const;

// Aliases, because an interface is no JsonSchema: it has no index signature.
// oxlint-disable consistent-type-definitions
export type ObjectOf<Members> = {
  readonly type: 'object';
  readonly description: string;
  readonly properties: Members;
};
export type ClosedObjectOf<Members> = ObjectOf<Members> & { readonly additionalProperties: false };
export type Requires<Names> = { readonly required: Names };
// oxlint-enable consistent-type-definitions

/** An object in a reply: it stays open, so that a member may be added. @param required names of its members; absent: none */
export function openObject<const Members extends object>(description: string, properties: Members): ObjectOf<Members>;
export function openObject<const Members extends object, const Names extends readonly (keyof Members & string)[]>(
  description: string,
  required: Names,
  properties: Members,
): ObjectOf<Members> & Requires<Names>;
export function openObject(description: string, ...given: readonly object[]): object {
  const [required, properties] = given.length === 1 ? [undefined, given[0]] : given;
  return { type: 'object', description, ...(required && { required }), properties };
}

/** An object in a request: other members are refused. @param required names of its members; absent: none */
export function closedObject<const Members extends object>(
  description: string,
  properties: Members,
): ClosedObjectOf<Members>;
export function closedObject<const Members extends object, const Names extends readonly (keyof Members & string)[]>(
  description: string,
  required: Names,
  properties: Members,
): ClosedObjectOf<Members> & Requires<Names>;
export function closedObject(description: string, ...given: readonly object[]): object {
  const [required, properties] = given.length === 1 ? [undefined, given[0]] : given;
  return { type: 'object', description, additionalProperties: false, ...(required && { required }), properties };
}

export function listOf<const Item extends object>(description: string, items: Item) {
  return { type: 'array', description, items } as const;
}

/** An object whose members have any name. */
export function mapOf<const Value extends object>(description: string, value: Value) {
  return { type: 'object', description, additionalProperties: value } as const;
}

/** One of these texts. */
export function choice<const Values extends readonly string[]>(description: string, values: Values) {
  return { type: 'string', enum: values, description } as const;
}

/** The `updateMask` of an update whose fields have these names. */
export function maskOf<const Names extends readonly string[]>(names: Names) {
  const items = { type: 'string', enum: names } as const;
  return { type: 'array', description: 'Names of the fields to change.', minItems: 1, items } as const;
}

/** @param example a value of it, where its name does not give one; see `exampleOf` */
export function text(description: string, example?: string) {
  return { type: 'string', description, ...(example !== undefined && { examples: [example] }) } as const;
}

export function flag(description: string) {
  return { type: 'boolean', description } as const;
}

/** A whole number from 0 on. */
export function count(description: string) {
  return { type: 'integer', minimum: 0, description } as const;
}

/** See `moment`. */
export function momentText(description: string) {
  return { ...moment, description } as const;
}

/**
 * The type of the values that a schema constant describes: `{ readonly groupRef: string }` of the schema of a query. Knows the keywords that
 * our schemas use.
 */
export type Described<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly anyOf: readonly (infer Branch)[] } | { readonly oneOf: readonly (infer Branch)[] }
      ? Described<Branch>
      : S extends { readonly type: readonly (infer Type)[] }
        ? DescribedAs<Type, S>
        : S extends { readonly type: infer Type }
          ? DescribedAs<Type, S>
          : unknown;

type DescribedAs<Type, S> = Type extends keyof Primitives
  ? Primitives[Type]
  : Type extends 'array'
    ? DescribedList<S>
    : Type extends 'object'
      ? DescribedObject<S>
      : never;

interface Primitives {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

type DescribedList<S> = S extends { readonly items: infer Item } ? readonly Described<Item>[] : readonly unknown[];

type DescribedObject<S> = S extends { readonly properties: infer Members }
  ? { [Name in keyof Members as Name extends RequiredOf<S> ? Name : never]: Described<Members[Name]> } & {
      [Name in keyof Members as Name extends RequiredOf<S> ? never : Name]?: Described<Members[Name]>;
    }
  : S extends { readonly additionalProperties: infer Member extends object }
    ? Record<string, Described<Member>>
    : Record<string, unknown>;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;
