import type { Keyring } from './keyring';

/** What every field has. `doc` is one sentence for errors, `.env.example` and the README. */
interface FieldBase {
  readonly doc: string;
  /** In production (`NODE_ENV=production`) only the default, or no value, is accepted. */
  readonly testOnly?: true;
}

/** Text. `pattern` must match the whole value. */
export interface StringField extends FieldBase {
  readonly type: 'string';
  readonly default?: string;
  readonly secret?: true;
  readonly pattern?: string;
  readonly optional?: true;
}

/** An absolute URL, kept as text; an http URL loses its trailing slashes. `protocols` without colon. @default http, https */
export interface UrlField extends FieldBase {
  readonly type: 'url';
  readonly default?: string;
  readonly secret?: true;
  readonly protocols?: readonly string[];
  readonly optional?: true;
}

/** `integer`: decimal digits only. `number`: decimal digits with a fraction. Bounds are inclusive. */
export interface NumberField extends FieldBase {
  readonly type: 'integer' | 'number';
  readonly default?: number;
  readonly min?: number;
  readonly max?: number;
  readonly optional?: true;
}

/** `on`/`off`, `true`/`false` or `1`/`0`, in any case. */
export interface BooleanField extends FieldBase {
  readonly type: 'boolean';
  readonly default?: boolean;
}

/** Comma separated; items are trimmed. An empty value is the empty list where that is the default, else an error. */
export interface ListField extends FieldBase {
  readonly type: 'list';
  readonly default?: readonly string[];
  /** Must match each whole item. */
  readonly pattern?: string;
  /** Each item is a network, such as 10.0.0.0/8. */
  readonly hasNetworks?: true;
  readonly optional?: true;
}

/** `id1:base64-of-32-bytes,id2:…`: the first key is current, the others only open what they sealed. */
export interface KeyringField extends FieldBase {
  readonly type: 'keyring';
  readonly secret: true;
  readonly optional?: true;
}

/** `name:action:probability[,…]`, see createFailpoints. */
export interface FailpointField extends FieldBase {
  readonly type: 'failpoint';
  readonly optional: true;
}

/**
 * One setting. It is required when it has no default and is not optional.
 */
export type EnvField = StringField | UrlField | NumberField | BooleanField | ListField | KeyringField | FailpointField;

/** Settings by the name of their environment variable. */
export type EnvFields = Readonly<Record<string, EnvField>>;

type ValueOf<F extends EnvField> = F extends { type: 'integer' | 'number' }
  ? number
  : F extends { type: 'boolean' }
    ? boolean
    : F extends { type: 'list' }
      ? readonly string[]
      : F extends { type: 'keyring' }
        ? Keyring
        : string;

type Present<F extends EnvField> = F extends { default: unknown }
  ? ValueOf<F>
  : F extends { optional: true }
    ? ValueOf<F> | undefined
    : ValueOf<F>;

type CamelWords<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelWords<Tail>>}`
  : S;

/** `SLUICE_CALL_TIMEOUT_MS` -> `callTimeoutMs`, `DATABASE_URL` -> `databaseUrl`. */
export type SettingKey<Name extends string> = Name extends `SLUICE_${infer Rest}`
  ? CamelWords<Lowercase<Rest>>
  : CamelWords<Lowercase<Name>>;

/** The values of a table, under camelCase keys. */
export type EnvValues<T extends EnvFields> = {
  readonly [Name in keyof T & string as SettingKey<Name>]: Present<T[Name]>;
};
