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
export const moment = { type: 'string', format: 'date-time' } as const;

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
