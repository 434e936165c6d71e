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
