import { choice, flag, listOf, mapOf, openObject, text, type Described } from './json-schema';

/** What a value of a field can be. Source: published API. */
export const fieldValueTypes = [
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
] as const;
export type FieldValueType = (typeof fieldValueTypes)[number];

export const fieldMetadataSchema = openObject('A field as the account has it.', ['fieldName', 'displayName'], {
  fieldName: text("The provider's name of the field."),
  displayName: text("The provider's shown name of the field."),
  valueType: choice('What a value can be.', fieldValueTypes),
  providerType: text("The provider's own word for the type."),
  readOnly: flag('It cannot be written.'),
  isCustom: flag('The customer made it.'),
  isRequired: flag('A create without it is refused.'),
  referenceTo: listOf('Objects of a reference.', { type: 'string' }),
  values: listOf(
    'Allowed values of a select.',
    openObject('A value.', ['value', 'displayValue'], {
      value: text('The value.'),
      displayValue: text('Shown value.'),
    }),
  ),
});
export type FieldMetadata = Described<typeof fieldMetadataSchema>;

export const objectMetadataSchema = openObject("An object's fields as one account has them.", ['name', 'fields'], {
  name: text("The provider's name of the object.", 'contacts'),
  displayName: text("The provider's shown name of the object."),
  mappedObjectName: text("The builder's name of the object."),
  fields: mapOf('Field name to its metadata.', fieldMetadataSchema),
});
/** Source: published API, ObjectMetadata. */
export type ObjectMetadata = Described<typeof objectMetadataSchema>;
