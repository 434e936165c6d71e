/** Kinds of field that differ in how Salesforce checks, compares and describes their values. */
export type FieldType =
  | 'id'
  | 'string'
  | 'email'
  | 'phone'
  | 'url'
  | 'textarea'
  | 'picklist'
  | 'multipicklist'
  | 'boolean'
  | 'int'
  | 'double'
  | 'currency'
  | 'percent'
  | 'date'
  | 'datetime'
  | 'reference';

/** A value as it is stored: text for every kind but numbers and booleans; moments in the form of replies. */
export type FieldValue = string | number | boolean | null;

/** One field of an object, as far as behaviour depends on it; `describe-object.ts` widens it to the wire form. */
export interface FieldDefinition {
  /** In its canonical case. */
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  /** Longest text in characters; 0 where there is none. */
  readonly length: number;
  readonly createable: boolean;
  readonly updateable: boolean;
  readonly nillable: boolean;
  /** Filled in when a create does not name the field: with `defaultValue`, or by a rule of its own. */
  readonly defaultedOnCreate?: true;
  readonly defaultValue?: string | boolean;
  readonly calculated?: true;
  readonly autoNumber?: true;
  readonly externalId?: true;
  /** No two records share a value, compared without case. */
  readonly unique?: true;
  readonly filterable: boolean;
  /** Digits before and after the point of a number. */
  readonly digits?: { readonly whole: number; readonly scale: number };
  readonly options?: readonly string[];
  /** A value outside `options` is refused. */
  readonly restricted?: true;
  /** Object that a reference points to, and the name of the path through it. */
  readonly reference?: { readonly to: string; readonly path: string };
  /** Invisible to the integration user: as if the field did not exist. */
  readonly hidden?: true;
}

type Extra = Partial<Omit<FieldDefinition, 'name' | 'type'>>;

/** A field is required when a create needs it and nothing fills it in. Source: docs/contributing/providers.md, B5. */
export function isRequired({ createable, nillable, defaultedOnCreate }: FieldDefinition): boolean {
  return createable && !nillable && defaultedOnCreate !== true;
}

export const isCustom = ({ name }: FieldDefinition): boolean => name.endsWith('__c');

/** Spread into a field: the integration user may read but not write it. */
export const readOnly = { createable: false, updateable: false } as const;

/** Spread into a field: a create needs it, an update cannot clear it. */
export const required = { nillable: false } as const;

/** Lengths that Salesforce gives a type when nothing else is said. */
const usualLength: Partial<Record<FieldType, number>> = {
  id: 18,
  reference: 18,
  string: 255,
  email: 80,
  phone: 40,
  url: 255,
  textarea: 32_000,
  picklist: 255,
  multipicklist: 4099,
};

const usualDigits: Partial<Record<FieldType, FieldDefinition['digits']>> = {
  int: { whole: 8, scale: 0 },
  double: { whole: 16, scale: 2 },
  currency: { whole: 16, scale: 2 },
  percent: { whole: 3, scale: 0 },
};

/** A field that can be written, cleared and filtered unless `extra` says otherwise. Long text cannot be filtered. */
export function field(name: string, type: FieldType, extra: Extra = {}): FieldDefinition {
  const length = extra.length ?? usualLength[type] ?? 0;
  const digits = usualDigits[type];
  const isBoolean = type === 'boolean';
  return {
    name,
    label: labelOf(name),
    type,
    length,
    createable: true,
    updateable: true,
    nillable: !isBoolean,
    filterable: type !== 'textarea' || length <= 255,
    ...(isBoolean ? { defaultedOnCreate: true, defaultValue: false } : {}),
    ...(digits ? { digits } : {}),
    ...extra,
  };
}

/** Text fields, each `Name:length`, or `Name` for 255. */
export function texts(list: string, type: FieldType = 'string'): FieldDefinition[] {
  return list.split(/\s+/).map((entry) => {
    const [name = '', length] = entry.split(':');
    return field(name, type, length === undefined ? {} : { length: Number(length) });
  });
}

export function reference(name: string, to: string, extra: Extra = {}): FieldDefinition {
  const label = `${labelOf(name.replace(/Id$/, ''))} ID`;
  return field(name, 'reference', { label, reference: { to, path: name.replace(/Id$/, '') }, ...extra });
}

export function picklist(name: string, options: readonly string[], extra: Extra = {}): FieldDefinition {
  return field(name, 'picklist', { options, ...extra });
}

/** `LastName` -> `Last Name`, `External_Id__c` -> `External Id`. */
function labelOf(name: string): string {
  return name
    .replace(/__c$/, '')
    .replace(/_/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2');
}

/** One kind of record, as far as behaviour depends on it. */
export interface ObjectDefinition {
  /** In its canonical case. */
  readonly name: string;
  readonly label: string;
  readonly labelPlural: string;
  /** First three characters of its ids. */
  readonly keyPrefix: string;
  /** Whether the API can create, update and delete it. */
  readonly isWritable: boolean;
  readonly fields: readonly FieldDefinition[];
}
