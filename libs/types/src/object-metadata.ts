/** An object's fields as one customer's account has them. Source: published API, ObjectMetadata. */
export interface ObjectMetadata {
  /** The provider's name of the object. */
  readonly name: string;
  readonly displayName?: string;
  /** The name in the builder's application, where the manifest maps the object. */
  readonly mappedObjectName?: string;
  /** By the provider's field name. */
  readonly fields: Readonly<Record<string, FieldMetadata>>;
}

/** What a value of a field can be. Source: published API. */
export type FieldValueType =
  'string' | 'boolean' | 'singleSelect' | 'multiSelect' | 'date' | 'datetime' | 'int' | 'float' | 'reference' | 'other';

export interface FieldMetadata {
  readonly fieldName: string;
  readonly displayName: string;
  /** Absent: not known. */
  readonly valueType?: FieldValueType;
  /** The provider's own word for the type. */
  readonly providerType?: string;
  readonly readOnly?: boolean;
  readonly isCustom?: boolean;
  /** A create without it is refused. */
  readonly isRequired?: boolean;
  /** Objects that a reference points to. */
  readonly referenceTo?: readonly string[];
  /** Allowed values of a select. */
  readonly values?: readonly { readonly value: string; readonly displayValue: string }[];
}

const valueTypes = [
  'string',
  'boolean',
  'singleSelect',
  'multiSelect',
  'date',
  'datetime',
  'int',
  'float',
  'reference',
  'other',
] as const satisfies readonly FieldValueType[];

/** Schema of one field in replies. */
export const fieldMetadataSchema = {
  type: 'object',
  description: 'A field as the account has it.',
  required: ['fieldName', 'displayName'],
  properties: {
    fieldName: { type: 'string', description: "The provider's name of the field." },
    displayName: { type: 'string', description: "The provider's shown name of the field." },
    valueType: { type: 'string', enum: valueTypes, description: 'What a value can be.' },
    providerType: { type: 'string', description: "The provider's own word for the type." },
    readOnly: { type: 'boolean', description: 'It cannot be written.' },
    isCustom: { type: 'boolean', description: 'The customer made it.' },
    isRequired: { type: 'boolean', description: 'A create without it is refused.' },
    referenceTo: { type: 'array', description: 'Objects of a reference.', items: { type: 'string' } },
    values: {
      type: 'array',
      description: 'Allowed values of a select.',
      items: {
        type: 'object',
        description: 'A value.',
        required: ['value', 'displayValue'],
        properties: {
          value: { type: 'string', description: 'The value.' },
          displayValue: { type: 'string', description: 'Shown value.' },
        },
      },
    },
  },
} as const;

/** Schema of the resource in replies. */
export const objectMetadataSchema = {
  type: 'object',
  description: "An object's fields as one account has them.",
  required: ['name', 'fields'],
  properties: {
    name: { type: 'string', description: "The provider's name of the object." },
    displayName: { type: 'string', description: "The provider's shown name of the object." },
    mappedObjectName: { type: 'string', description: "The builder's name of the object." },
    fields: {
      type: 'object',
      description: 'Field name to its metadata.',
      additionalProperties: fieldMetadataSchema,
    },
  },
} as const;
