import { closedObject, flag, mapOf, memberName, text } from './json-schema';

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
  readonly selectedValueDefaults?: Readonly<Record<string, ValueDefault>>;
}

/** What happens to a field on its way. */
export interface FieldSettings {
  /** Applied when the key is missing in the request; an explicit null is a value. */
  readonly default?: FieldDefault;
  /** Whether the field is written on create. @default 'always' */
  readonly writeOnCreate?: 'always' | 'never';
  /** `ifEmpty`: only while unset or empty at the provider; HubSpot and Salesforce only. @default 'always' */
  readonly writeOnUpdate?: 'always' | 'never' | 'ifEmpty';
}

/** Exactly one member is set. */
export interface FieldDefault {
  readonly stringValue?: string;
  readonly integerValue?: number;
  readonly booleanValue?: boolean;
}

export interface ValueDefault {
  readonly value: string | number | boolean;
  /** @default 'always' */
  readonly applyOnUpdate?: 'always' | 'never';
}

/** The value of a default, whichever member carries it; undefined when none does. */
export function fieldDefaultValue(settings: FieldDefault): string | number | boolean | undefined {
  return settings.stringValue ?? settings.integerValue ?? settings.booleanValue;
}

const fieldSettings = closedObject('How a field is written.', {
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

export const writeObjectConfigSchema = closedObject('Writing of one object.', ['objectName'], {
  objectName: { ...memberName, description: 'The object to write.' },
  deletionSettings: closedObject('Whether records may be deleted.', ['enabled'], { enabled: flag('True: they may.') }),
  selectedFieldSettings: mapOf('Field name to its settings.', fieldSettings),
  inheritMapping: { type: 'boolean', default: false, description: 'Writes use the read mappings.' },
  selectedValueDefaults: {
    type: 'object',
    deprecated: true,
    description: 'Use selectedFieldSettings.',
    additionalProperties: closedObject('A default.', ['value'], {
      value: { type: ['string', 'integer', 'boolean'], description: 'The default value.' },
      applyOnUpdate: {
        type: 'string',
        enum: ['always', 'never'],
        default: 'always',
        description: 'On update too.',
      },
    }),
  },
});
