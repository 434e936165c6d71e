import { isCustom, type FieldDefinition, type FieldType } from './field-definition';

/** SOAP types in a describe, where they are not the field type itself. */
const soapTypes: Partial<Record<FieldType, string>> = {
  id: 'tns:ID',
  reference: 'tns:ID',
  boolean: 'xsd:boolean',
  int: 'xsd:int',
  double: 'xsd:double',
  currency: 'xsd:double',
  percent: 'xsd:double',
  date: 'xsd:date',
  datetime: 'xsd:dateTime',
};

/** The wire form of a field. Members and their meaning as in docs/contributing/providers.md, B5. */
export function describeField(field: FieldDefinition): Record<string, unknown> {
  const { name, label, type, length, createable, updateable, nillable, filterable } = field;
  return {
    aggregatable: filterable,
    autoNumber: field.autoNumber === true,
    byteLength: length * 3,
    calculated: field.calculated === true,
    caseSensitive: false,
    createable,
    custom: isCustom(field),
    defaultValue: field.defaultValue ?? null,
    defaultedOnCreate: field.defaultedOnCreate === true,
    deprecatedAndHidden: false,
    digits: type === 'int' ? 8 : 0,
    encrypted: false,
    externalId: field.externalId === true,
    filterable,
    groupable: filterable,
    htmlFormatted: false,
    idLookup: type === 'id' || field.externalId === true,
    label,
    length,
    name,
    nameField: name === 'Name',
    nillable,
    permissionable: createable && nillable,
    picklistValues: describeOptions(field),
    precision: field.digits ? field.digits.whole + field.digits.scale : 0,
    referenceTo: field.reference ? [field.reference.to] : [],
    relationshipName: field.reference?.path ?? null,
    restrictedPicklist: field.restricted === true,
    scale: field.digits?.scale ?? 0,
    soapType: soapTypes[type] ?? 'xsd:string',
    sortable: filterable,
    type,
    unique: field.unique === true,
    updateable,
  };
}

function describeOptions({ options = [], defaultValue }: FieldDefinition): Record<string, unknown>[] {
  return options.map((value) => ({
    active: true,
    defaultValue: value === defaultValue,
    label: value,
    validFor: null,
    value,
  }));
}
