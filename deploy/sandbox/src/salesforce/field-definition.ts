/** What the types of field differ in. */
interface TypeTraits {
  /** The SOQL literals that the type takes besides null. */
  readonly literal: 'string' | 'number' | 'boolean' | 'date' | 'datetime';
  /** Longest text in characters unless the field says otherwise; absent where there is none. */
  readonly length?: number;
  /** Digits before and after the point of a number, unless the field says otherwise. */
  readonly digits?: { readonly whole: number; readonly scale: number };
  /** SOAP type in a describe. @default xsd:string */
  readonly soap?: string;
}

const fieldTypes = {
  id: { literal: 'string', length: 18, soap: 'tns:ID' },
  reference: { literal: 'string', length: 18, soap: 'tns:ID' },
  string: { literal: 'string', length: 255 },
  email: { literal: 'string', length: 80 },
  phone: { literal: 'string', length: 40 },
  url: { literal: 'string', length: 255 },
  textarea: { literal: 'string', length: 32_000 },
  picklist: { literal: 'string', length: 255 },
  multipicklist: { literal: 'string', length: 4099 },
  boolean: { literal: 'boolean', soap: 'xsd:boolean' },
  int: { literal: 'number', digits: { whole: 8, scale: 0 }, soap: 'xsd:int' },
  double: { literal: 'number', digits: { whole: 16, scale: 2 }, soap: 'xsd:double' },
  currency: { literal: 'number', digits: { whole: 16, scale: 2 }, soap: 'xsd:double' },
  percent: { literal: 'number', digits: { whole: 3, scale: 0 }, soap: 'xsd:double' },
  date: { literal: 'date', soap: 'xsd:date' },
  datetime: { literal: 'datetime', soap: 'xsd:dateTime' },
} as const satisfies Readonly<Record<string, TypeTraits>>;

export type FieldType = keyof typeof fieldTypes;

export const traitsOf = (type: FieldType): TypeTraits => fieldTypes[type];

/** One field of an object, as far as behaviour depends on it; `metadata.ts` widens it to the wire form. */
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

/** A field that can be written, cleared and filtered unless `extra` says otherwise. Long text cannot be filtered. */
export function field(name: string, type: FieldType, extra: Extra = {}): FieldDefinition {
  const { length: usualLength = 0, digits } = traitsOf(type);
  const length = extra.length ?? usualLength;
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

/** One object, as far as behaviour depends on it. */
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
