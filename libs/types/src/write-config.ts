import { closedObject, flag, mapOf, memberName, text, type Described } from './json-schema';

/** Writing of one object, in an installation. Source: specification, Config Content, write.objects. */
export interface WriteObjectConfig {
  readonly objectName: string;
  /** Deletion is disabled unless `enabled` is true. */
  readonly deletionSettings?: { readonly enabled: boolean };
  /** Field name to its settings; the name that requests use. */
  readonly selectedFieldSettings?: Readonly<Record<string, FieldSettings>>;
  /** Writes use the read mappings. The effective value is this OR the manifest's. */
  readonly inheritMapping?: boolean;
  /** @deprecated in favour of selectedFieldSettings, which wins where both name a field. */
  readonly selectedValueDefaults?: Readonly<Record<string, Described<typeof valueDefault>>>;
}

const fieldSettings = closedObject('How a field is written.', {
  // An explicit null is a value.
  default: {
    type: 'object',
    description: 'Used when the field is missing in the request. Exactly one member.',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: {
      stringValue: text('A text.'),
      integerValue: { type: 'integer', description: 'A whole number.' },
      booleanValue: flag('True or false.'),
    },
  },
  writeOnCreate: {
    type: 'string',
    enum: ['always', 'never'],
    default: 'always',
    description: 'Whether the field is written on create.',
  },
  writeOnUpdate: {
    type: 'string',
    enum: ['always', 'never', 'ifEmpty'],
    default: 'always',
    description: 'Whether the field is written on update. ifEmpty: only while it is empty.',
  },
});
export type FieldSettings = Described<typeof fieldSettings>;

/** The value of a default, whichever member carries it; undefined when none does. */
export function fieldDefaultValue(given: NonNullable<FieldSettings['default']>): string | number | boolean | undefined {
  return given.stringValue ?? given.integerValue ?? given.booleanValue;
}

const valueDefault = closedObject('A default.', ['value'], {
  value: { type: ['string', 'integer', 'boolean'], description: 'The default value.' },
  applyOnUpdate: { type: 'string', enum: ['always', 'never'], default: 'always', description: 'On update too.' },
});

export const writeObjectConfigSchema = closedObject('Writing of one object.', ['objectName'], {
  objectName: { ...memberName, description: 'The object to write.' },
  deletionSettings: closedObject('Whether records may be deleted.', ['enabled'], { enabled: flag('True: they may.') }),
  selectedFieldSettings: mapOf('Field name to its settings.', fieldSettings),
  inheritMapping: { type: 'boolean', default: false, description: 'Writes use the read mappings.' },
  selectedValueDefaults: {
    type: 'object',
    deprecated: true,
    description: 'Use selectedFieldSettings.',
    additionalProperties: valueDefault,
  },
});
